/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelEngineContract;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.graph.TestGraphs;
import java.util.List;
import org.junit.jupiter.api.Test;

/** ONNX graphs. */
class TorchEngineTest extends ModelEngineContract {
    private static final ModelOptions CPU = ModelOptions.DEFAULT.withDevice(Device.CPU);
    private static final Graph DOUBLES = TestGraphs.linear(new float[][] {{2, 0}, {0, 2}}, new float[2]);

    @Override
    protected ModelEngine engine() {
        return new TorchEngine();
    }

    @Test
    void tellsTheNamesOfTheGraph() {
        try (Model model = engine().load(DOUBLES.toModelFile(), CPU)) {
            assertThat(model.input()).hasToString("input (2)");
            assertThat(model.output()).hasToString("fc1 (2)");
        }
    }

    @Test
    void readsTheCallersInputsInPlaceAndLeavesThemAsTheyAre() {
        Graph reshaped = RawGraph.of(2, 3)
                .integers("target", 0, -1)
                .node("Reshape", "flat", "input", "target")
                .build();
        float[] inputs = TestGraphs.values(12);
        try (Model model = engine().load(reshaped.toModelFile(), CPU)) {
            assertThat(model.predict(inputs)).containsExactly(inputs);
        }
    }

    @Test
    void refusesOtherInputsAndOutputsThanOneEach() {
        refused(TestGraphs.twoInputs(), "a network must have one input, this one has [left, right]");
        refused(TestGraphs.twoOutputs(), "a network must have one output, this one has [left, right]");
        refused(TestGraphs.noInput(), "a network must have one input, this one has []");
        refused(TestGraphs.integers(), "the input 'ids' must be float32, it has ONNX's element type 7");
        refused(
                TestGraphs.anyHeight(),
                "every dimension of the input 'pixels' after the batch must be fixed, its shape is [batch, 1, height,"
                        + " 8]: export with fixed sizes, only the batch may vary");
    }

    @Test
    void refusesOperatorsItDoesNotKnow() {
        Graph graph = RawGraph.of(2).node("Sin", "wave", "input").build();
        refused(
                graph.toModelFile(),
                "the operators of a network for LibTorch must be among [Add, AveragePool, BatchNormalization, Clip,"
                        + " Concat, Conv, Div, Dropout, Flatten, Gemm, GlobalAveragePool, Identity, LeakyRelu, MatMul,"
                        + " MaxPool, Mul, Pad, ReduceMean, Relu, Reshape, Sigmoid, Softmax, Sub, Tanh], got Sin 'wave'");
    }

    @Test
    void refusesWhatDoesNotRunWhenItIsLoaded() {
        assertThatThrownBy(() -> engine().load(TestGraphs.reshaped(3, 2), CPU))
                .isInstanceOf(ModelException.class)
                .hasMessage("LibTorch cannot run Reshape 'output': shape '[2, 2]' is invalid for input of size 6")
                .hasCauseInstanceOf(RuntimeException.class);
    }

    @Test
    void anInputShapeThatIsGivenMustBeTheModels() {
        ModelOptions options = CPU.withEngine("libtorch");
        ModelEngines.load(DOUBLES.toModelFile(), options.withInputShape(List.of(2)))
                .close();
        assertThatThrownBy(() -> ModelEngines.load(DOUBLES.toModelFile(), options.withInputShape(List.of(3))))
                .isInstanceOf(ModelException.class)
                .hasMessage("the model takes input (2), the options say [3]:"
                        + " leave out the input shape, this model needs none");
    }

    @Test
    void everyModelKeepsToItsThreads() {
        try (Model one = engine().load(DOUBLES.toModelFile(), CPU);
                Model two = engine().load(DOUBLES.toModelFile(), CPU.withThreads(2))) {
            one.predict(new float[2]);
            assertThat(org.bytedeco.pytorch.global.torch.get_num_threads()).isEqualTo(1);
            two.predict(new float[2]);
            assertThat(org.bytedeco.pytorch.global.torch.get_num_threads()).isEqualTo(2);
            one.predict(new float[2]);
            assertThat(org.bytedeco.pytorch.global.torch.get_num_threads()).isEqualTo(1);
        }
    }

    private void refused(ModelFile file, String reason) {
        assertThatThrownBy(() -> engine().load(file, CPU))
                .isInstanceOf(ModelException.class)
                .hasMessage("libtorch cannot load the ONNX model of " + file.size() + " bytes with the hash "
                        + file.sha256() + " on the device CPU: " + reason);
    }
}
