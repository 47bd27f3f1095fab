/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.torch.Network.Mode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class TorchScriptsTest {
    private static final ModelOptions CPU = ModelOptions.DEFAULT.withDevice(Device.CPU);

    @BeforeAll
    static void start() {
        LibTorch.start(Device.CPU, 1);
    }

    /** A network that has seen some batches, so that no weight is as it was drawn. */
    private static Graph trained() {
        try (GraphNetwork network = GraphNetwork.trainable(NetworkTest.normalised(0.3f), Device.CPU)) {
            train(network, 10);
            return network.graph();
        }
    }

    private static List<Float> train(Network network, int steps) {
        List<Float> losses = new ArrayList<>();
        try (Optimizer optimizer = Optimizer.adam(network.parameters(), 1e-3, 0)) {
            for (int i = 0; i < steps; i++) {
                try (Scope scope = Scope.open()) {
                    Tensor images = Tensor.of(Device.CPU, TestGraphs.values(8 * 64), 8, 1, 8, 8);
                    Tensor wanted = Tensor.of(Device.CPU, TestGraphs.values(40), 8, 5);
                    Tensor loss = network.forward(images, Mode.TRAINING).meanSquaredError(wanted);
                    optimizer.step(loss);
                    losses.add(loss.value());
                }
            }
        }
        return losses;
    }

    private static float[] predict(ModelFile file, String engine, float[] inputs) {
        try (Model model = ModelEngines.load(file, CPU.withEngine(engine))) {
            return model.predict(inputs);
        }
    }

    @Test
    void aTrainedNetworkPredictsTheSameInEveryFormatAndEngine() {
        Graph graph = trained();
        float[] inputs = TestGraphs.values(7 * 64);
        float[] expected = predict(graph.toModelFile(), "onnxruntime", inputs);
        assertThat(predict(graph.toModelFile(), "libtorch", inputs)).containsExactly(expected, within(1e-5f));
        assertThat(predict(TorchScripts.write(graph), "libtorch", inputs)).containsExactly(expected, within(1e-5f));
        assertThat(predict(TorchScripts.write(graph), "auto", inputs)).containsExactly(expected, within(1e-5f));
    }

    @Test
    void publishedNetworksCanBeWritten() {
        for (Graph network : List.of(
                Networks.lenet5(List.of(1, 28, 28), 10),
                Networks.vgg11(List.of(3, 32, 32), 10),
                Networks.resNet18(List.of(3, 32, 32), 10, 4))) {
            Graph graph = Initialisation.HE.apply(network, 1);
            float[] inputs = TestGraphs.values(2 * graph.input().size());
            assertThat(predict(TorchScripts.write(graph), "libtorch", inputs))
                    .containsExactly(predict(graph.toModelFile(), "onnxruntime", inputs), within(1e-4f));
        }
    }

    @Test
    void whatIsWrittenCanBeTrainedFurtherAsTheGraphIs() {
        Graph graph = NetworkTest.normalised(0);
        try (GraphNetwork first = GraphNetwork.trainable(graph, Device.CPU);
                ScriptNetwork second = ScriptNetwork.trainable(TorchScripts.write(graph), Place.of(Device.CPU))) {
            List<Float> expected = train(first, 15);
            List<Float> losses = train(second, 15);
            assertThat(losses.get(14)).isLessThan(losses.get(0));
            for (int i = 0; i < 15; i++) {
                assertThat(losses.get(i)).as("step %d", i).isCloseTo(expected.get(i), within(1e-4f));
            }
            float[] inputs = TestGraphs.values(3 * 64);
            assertThat(predict(second.toModelFile(), "libtorch", inputs))
                    .containsExactly(predict(first.toModelFile(), "onnxruntime", inputs), within(1e-3f));
        }
    }

    @Test
    void equalGraphsGiveEqualFiles() {
        Graph graph = NetworkTest.normalised(0);
        assertThat(TorchScripts.write(graph).sha256())
                .isEqualTo(TorchScripts.write(graph).sha256());
    }

    @Test
    void namesOfAnyExporterBecomeNamesOfModules() {
        Graph graph = RawGraph.of(3)
                .weight("onnx::MatMul_7", 3, 3)
                .weight("0.b", 3)
                .weight("lambda.scale", 3)
                .node("MatMul", "/fc/MatMul_output_0", "input", "onnx::MatMul_7")
                .node("Add", "12", "/fc/MatMul_output_0", "0.b")
                .node("Mul", "out", "12", "lambda.scale")
                .build();
        float[] inputs = {1, 2, 3, -1, 0, 1};
        assertThat(predict(TorchScripts.write(graph), "libtorch", inputs))
                .containsExactly(predict(graph.toModelFile(), "libtorch", inputs));
    }

    @Test
    void refusesOperatorsThatLibTorchDoesNotRun() {
        Graph graph = RawGraph.of(2).node("Sin", "wave", "input").build();
        assertThatThrownBy(() -> TorchScripts.write(graph))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("the operators of a network for LibTorch must be among [Add, ")
                .hasMessageEndingWith("], got Sin 'wave'");
    }
}
