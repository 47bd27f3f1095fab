/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static io.paritas.inference.graph.TestGraphs.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import io.paritas.inference.graph.GraphBuilder.Value;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every operator runs in ONNX Runtime, with the shape that the builder worked out, and computes what its name says. */
class GraphBuilderTest {
    private static final float TOLERANCE = 1e-5f;

    private static float[] run(Graph graph, Value output, float... inputs) {
        try (Model model = ModelEngines.load(graph.toModelFile(), ModelOptions.DEFAULT)) {
            assertThat(model.output().shape()).isEqualTo(output.shape());
            return model.predict(inputs);
        }
    }

    private static Graph filled(Graph graph, String name, float... values) {
        return graph.with(List.of(graph.weights().get(name).with(values)));
    }

    @Test
    void weightsThatAreGivenAreTaken() {
        TensorSpec input = new TensorSpec("numbers", List.of(2));
        Weight matrix = new Weight("a.weight", Weight.Role.MATRIX, new int[] {1, 2}, new float[] {3, 4});
        GraphBuilder builder = new GraphBuilder(input, List.of(matrix));
        Value output = builder.linear("a", builder.input(), 1);
        assertThat(run(builder.output(output), output, 10, 1)).containsExactly(34);
        assertThatThrownBy(() -> new GraphBuilder(input, List.of(matrix)).linear("a", builder.input(), 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the weight 'a.weight' must have the shape [2, 2], got [1, 2]");
    }

    static Stream<Convolution> convolutions() {
        Convolution same = Convolution.same(4, 3);
        return Stream.of(
                same,
                same.withoutBias(),
                same.stride(2),
                same.padding(0),
                same.padding(2).stride(3),
                same.dilation(2),
                same.groups(2),
                Convolution.same(6, 1),
                Convolution.same(2, 5).stride(2).groups(2),
                Convolution.same(2, 2));
    }

    @ParameterizedTest
    @MethodSource("convolutions")
    void convolution(Convolution settings) {
        GraphBuilder builder = new GraphBuilder(2, 7, 6);
        Value output = builder.convolution(builder.input(), settings);
        Graph graph = builder.output(output);
        int weights = graph.weights().get("conv1.weight").size();
        graph = filled(graph, "conv1.weight", values(weights));
        float[] bias = new float[settings.outputs()];
        if (settings.bias()) {
            bias = values(settings.outputs());
            graph = filled(graph, "conv1.bias", bias);
        }
        assertThat(graph.weights()).hasSize(settings.bias() ? 2 : 1);
        assertThat(run(graph, output, values(84)))
                .containsExactly(convolved(settings, output.shape(), bias), within(TOLERANCE));
    }

    /** The definition, for an input of values(2 × 7 × 6) and a kernel of values(…). */
    private static float[] convolved(Convolution c, List<Integer> shape, float[] bias) {
        int inputs = 2 / c.groups();
        float[] image = values(84);
        float[] kernel = values(c.outputs() * inputs * c.kernel() * c.kernel());
        float[] result = new float[shape.get(0) * shape.get(1) * shape.get(2)];
        int at = 0;
        for (int out = 0; out < shape.get(0); out++) {
            int firstChannel = out / (c.outputs() / c.groups()) * inputs;
            for (int y = 0; y < shape.get(1); y++) {
                for (int x = 0; x < shape.get(2); x++) {
                    double sum = bias[out];
                    for (int i = 0; i < inputs * c.kernel() * c.kernel(); i++) {
                        int channel = firstChannel + i / (c.kernel() * c.kernel());
                        int row = y * c.stride() - c.padding() + i / c.kernel() % c.kernel() * c.dilation();
                        int column = x * c.stride() - c.padding() + i % c.kernel() * c.dilation();
                        boolean inside = row >= 0 && row < 7 && column >= 0 && column < 6;
                        sum += inside
                                ? (double) image[channel * 42 + row * 6 + column]
                                        * kernel[out * inputs * c.kernel() * c.kernel() + i]
                                : 0;
                    }
                    result[at++] = (float) sum;
                }
            }
        }
        return result;
    }

    @Test
    void batchNorm() {
        GraphBuilder builder = new GraphBuilder(2, 1, 2);
        Value output = builder.batchNorm(builder.input());
        Graph fresh = builder.output(output);
        float[] image = {1, 2, 3, 4};
        assertThat(run(fresh, output, image)).as("fresh, it changes nothing").containsExactly(image, within(1e-4f));
        Graph graph = filled(
                filled(filled(filled(fresh, "bn1.scale", 2, 3), "bn1.shift", 10, 20), "bn1.mean", 1, 2),
                "bn1.variance",
                4,
                9);
        assertThat(run(graph, output, image)).containsExactly(new float[] {10, 11, 21, 22}, within(1e-4f));
    }

    @Test
    void relu() {
        GraphBuilder builder = new GraphBuilder(3);
        Value output = builder.relu(builder.input());
        assertThat(run(builder.output(output), output, -1, 0, 2)).containsExactly(0, 0, 2);
    }

    @Test
    void pools() {
        float[] image = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
        GraphBuilder max = new GraphBuilder(1, 4, 5);
        Value largest = max.maxPool(max.input(), 2, 2);
        assertThat(run(max.output(largest), largest, image)).containsExactly(7, 9, 17, 19);
        GraphBuilder average = new GraphBuilder(1, 4, 5);
        Value middle = average.averagePool(average.input(), 3, 1);
        assertThat(run(average.output(middle), middle, image))
                .containsExactly(new float[] {7, 8, 9, 12, 13, 14}, within(TOLERANCE));
    }

    @Test
    void flattenAndLinear() {
        GraphBuilder builder = new GraphBuilder(2, 1, 2);
        Value output = builder.linear(builder.flatten(builder.input()), 2);
        Graph graph =
                filled(filled(builder.output(output), "fc1.weight", 1, 2, 3, 4, 0, 1, 0, -1), "fc1.bias", 100, 200);
        assertThat(run(graph, output, 1, 2, 3, 4)).containsExactly(130, 198);
    }

    @Test
    void sum() {
        GraphBuilder builder = new GraphBuilder(2);
        Value output = builder.sum(builder.input(), builder.relu(builder.input()));
        assertThat(run(builder.output(output), output, -3, 4)).containsExactly(-3, 8);
    }

    @Test
    void dropoutDoesNothingToPredictions() {
        GraphBuilder builder = new GraphBuilder(4);
        Value output = builder.dropout(builder.input(), 0.5f);
        assertThat(run(builder.output(output), output, 1, 2, 3, 4)).containsExactly(1, 2, 3, 4);
    }

    @Test
    void hidden() {
        GraphBuilder builder = new GraphBuilder(1);
        Value output = builder.hidden(builder.input(), 1, 1);
        Graph graph = builder.output(output);
        assertThat(graph.nodes()).extracting(Node::op).containsExactly("Gemm", "Relu", "Gemm", "Relu");
        graph = filled(filled(filled(graph, "fc1.weight", -1), "fc2.weight", 3), "fc2.bias", 1);
        assertThat(run(graph, output, -2, 2)).containsExactly(7, 1);
    }

    @Test
    void aNetworkMayGrowAfterItsFirstOutput() {
        GraphBuilder builder = new GraphBuilder(2);
        Value first = builder.relu(builder.input());
        Graph one = builder.output(first);
        Value second = builder.sum(first, first);
        Graph two = builder.output(second);
        assertThat(run(one, first, 1, 2)).containsExactly(1, 2);
        assertThat(run(two, second, 1, 2)).containsExactly(2, 4);
    }

    @Test
    void refusesWhatDoesNotFit() {
        GraphBuilder builder = new GraphBuilder(3, 2, 2);
        Value image = builder.input();
        refused(
                () -> builder.convolution(image, Convolution.same(4, 3).groups(2)),
                "channels must be divisible by the groups, got 3 to 4 channels in 2 groups");
        refused(
                () -> builder.convolution(image, new Convolution(1, 3, 2, 0, 1, 1, true)),
                "an image must not become empty, Conv 'conv1' would have the shape [1, 0, 0]");
        refused(
                () -> builder.maxPool(image, 3, 2),
                "an image must not become empty, MaxPool 'pool1' would have the shape [3, 0, 0]");
        refused(() -> builder.maxPool(image, 2, 0), "a pool needs a kernel and a stride of at least 1, got 2 and 0");
        refused(
                () -> Convolution.same(4, 3).stride(0),
                "a convolution needs at least 1 output, kernel, stride, dilation and group, and no negative padding,"
                        + " got 4 outputs, kernel 3, stride 0, dilation 1, 1 groups, padding 1");
        refused(
                () -> builder.linear(image, 4),
                "a linear layer makes at least 1 output of the shape (features), got 4 of [3, 2, 2]:"
                        + " flatten an image first");
        Value flat = builder.flatten(image);
        refused(
                () -> builder.linear(flat, 0),
                "a linear layer makes at least 1 output of the shape (features), got 0 of [12]:"
                        + " flatten an image first");
        refused(() -> builder.sum(image, flat), "only equal shapes can be added, got [3, 2, 2] and [12]");
        refused(
                () -> builder.averagePool(flat, 2, 2),
                "an image must have the shape (channels, height, width), got [12]");
    }

    @Test
    void anInputNeedsASize() {
        refused(() -> new GraphBuilder(3, 0), "every dimension of 'input' must be at least 1, got [3, 0]");
    }

    private static void refused(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    @Test
    void aWeightFitsAFile() {
        GraphBuilder builder = new GraphBuilder(1 << 15);
        refused(
                () -> builder.linear("large", builder.input(), 1 << 14),
                "a weight of shape [16384, 32768] has 536870912 values, more than a file of a network can have,"
                        + " 536870911: take a smaller network");
    }

    @Test
    void innerProductsOfAVectorsParts() {
        GraphBuilder builder = new GraphBuilder(new TensorSpec("numbers", List.of(5)));
        List<Value> parts = builder.split(builder.input(), 1);
        Value products = builder.reshape(builder.innerProducts(builder.reshape(parts.get(1), 2, 2)), 4);
        Value output = builder.sigmoid("end", builder.concat(builder.select(products, 2, 0), parts.get(0)));
        Graph graph = builder.output(output);
        assertThat(graph.input().name()).isEqualTo("numbers");
        assertThat(graph.outputName()).isEqualTo("end");
        assertThat(run(graph, output, 0.5f, 1, 2, 3, -1))
                .containsExactly(new float[] {sigmoid(1), sigmoid(5), sigmoid(0.5)}, within(TOLERANCE));
    }

    private static float sigmoid(double x) {
        return (float) (1 / (1 + Math.exp(-x)));
    }

    @Test
    void vectorsAreSplitIntoTwoParts() {
        GraphBuilder builder = new GraphBuilder(5);
        assertThatThrownBy(() -> builder.split(builder.input(), 5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a vector is split into two parts of at least 1 value, got 5 of [5]");
    }
}
