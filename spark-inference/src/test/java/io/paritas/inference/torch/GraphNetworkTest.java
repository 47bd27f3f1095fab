/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import io.paritas.inference.graph.GraphBuilder.Value;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.Weight;
import io.paritas.inference.torch.Network.Mode;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class GraphNetworkTest {

    @BeforeAll
    static void start() {
        LibTorch.start(Device.CPU, 1);
    }

    @Test
    void learnsToImitateAnotherNetwork() {
        Graph graph = convolutional();
        try (GraphNetwork teacher = GraphNetwork.frozen(Initialisation.PYTORCH.apply(graph, 1), Device.CPU);
                GraphNetwork student = GraphNetwork.trainable(Initialisation.XAVIER.apply(graph, 2), Device.CPU);
                Optimizer optimizer = Optimizer.adam(student.parameters(), 1e-3, 1e-5)) {
            Random random = new Random(3);
            float first = step(teacher, student, optimizer, random);
            float last = first;
            for (int i = 0; i < 200; i++) {
                last = step(teacher, student, optimizer, random);
            }
            assertThat(last).isLessThan(first / 3);
        }
    }

    @Test
    void whatIsNotFiniteIsNoResult() {
        Graph graph = Initialisation.XAVIER.apply(convolutional(), 2);
        Weight first = graph.weights().values().iterator().next();
        float[] values = first.values().clone();
        values[0] = Float.NaN;
        try (GraphNetwork network = GraphNetwork.trainable(graph.with(List.of(first.with(values))), Device.CPU)) {
            assertThatThrownBy(network::toModelFile)
                    .isInstanceOf(ModelException.class)
                    .hasMessageStartingWith(
                            "a trained network must have finite values, '" + first.name() + "' has others");
        }
    }

    @Test
    void anOptimizerGoesOnFromItsState() {
        Graph graph = Initialisation.XAVIER.apply(convolutional(), 2);
        float[] images = images(new Random(1), 8);
        float[] expected;
        byte[] state;
        Graph between;
        try (GraphNetwork network = GraphNetwork.trainable(graph, Device.CPU);
                Optimizer optimizer = Optimizer.adam(network.parameters(), 1e-3, 1e-5)) {
            descend(network, optimizer, images);
            descend(network, optimizer, images);
            between = network.graph();
            state = optimizer.state();
            expected = descend(network, optimizer, images);
        }
        try (GraphNetwork network = GraphNetwork.trainable(between, Device.CPU);
                Optimizer optimizer = Optimizer.adam(network.parameters(), 1e-3, 1e-5)) {
            optimizer.restore(state);
            assertThat(descend(network, optimizer, images)).containsExactly(expected, within(0f));
        }
    }

    private static float[] descend(GraphNetwork network, Optimizer optimizer, float[] images) {
        try (Scope scope = Scope.open()) {
            Tensor outputs = network.forward(Tensor.of(Device.CPU, images, 8, 1, 8, 8), Mode.TRAINING);
            optimizer.step(outputs.times(outputs).mean());
            return network.forward(Tensor.of(Device.CPU, images, 8, 1, 8, 8), Mode.INFERENCE)
                    .values();
        }
    }

    private static float step(GraphNetwork teacher, GraphNetwork student, Optimizer optimizer, Random random) {
        try (Scope scope = Scope.open()) {
            Tensor images = Tensor.of(Device.CPU, images(random, 16), 16, 1, 8, 8);
            Tensor loss = student.forward(images, Mode.TRAINING)
                    .meanSquaredError(teacher.forward(images, Mode.INFERENCE).detach());
            optimizer.step(loss);
            return loss.value();
        }
    }

    private static float[] images(Random random, int count) {
        float[] values = new float[count * 64];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private static Graph convolutional() {
        GraphBuilder graph = new GraphBuilder(1, 8, 8);
        Value first = graph.relu(graph.batchNorm(
                graph.convolution(graph.input(), Convolution.same(8, 3).withoutBias())));
        Value second = graph.sum(first, graph.convolution(first, Convolution.same(8, 3)));
        return graph.output(graph.linear(graph.flatten(graph.maxPool(second, 2, 2)), 5));
    }
}
