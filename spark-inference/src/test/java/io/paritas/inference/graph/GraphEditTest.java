/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnx.proto.OnnxMl.ModelProto;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GraphEditTest {
    private static Graph grouped() {
        GraphBuilder net = new GraphBuilder(4, 5, 5);
        return net.output(net.convolution(net.input(), Convolution.same(4, 3).groups(2)));
    }

    @Test
    void changesAnAttributeAndTheWeightsThatGoWithIt() {
        Graph graph = grouped();
        Graph plain = graph.edit()
                .attribute(graph.nodes().get(0), "group", 1)
                .weights(List.of(graph.weights().get("conv1.weight").resized(4, 4, 3, 3)))
                .build();
        assertThat(plain.nodes().get(0).integer("group", 0)).isEqualTo(1);
        assertThat(plain.nodes().get(0).ints("pads")).containsExactly(1, 1, 1, 1);
        assertThat(graph.nodes().get(0).integer("group", 0)).isEqualTo(2);
        Ort.checkShapes(plain, 2);
    }

    /** In version 3 of the format, and by wish later on, weights are inputs, too, with their shapes. */
    @Test
    void weightsThatAreInputsMayGetOtherShapes() throws IOException {
        Graph plain = grouped();
        ModelProto.Builder model =
                ModelProto.parseFrom(plain.toModelFile().bytes()).toBuilder().setIrVersion(3);
        plain.weights().values().forEach(weight -> {
            List<Integer> shape = IntStream.of(weight.shape()).boxed().toList();
            model.getGraphBuilder().addInput(Tensors.value(weight.name(), shape.subList(1, shape.size())));
        });
        Graph graph = Graph.of(model.build());

        Graph changed = graph.edit()
                .attribute(graph.nodes().get(0), "group", 1)
                .weights(List.of(graph.weights().get("conv1.weight").resized(4, 4, 3, 3)))
                .build();

        Ort.checkShapes(changed, 2);
    }

    @Test
    void setsAnAttributeThatWasNotThere() {
        Graph graph = RawGraph.of(4).node("Flatten", "f", "input").build();
        Graph changed = graph.edit().attribute(graph.nodes().get(0), "axis", 1).build();
        assertThat(changed.nodes().get(0).has("axis")).isTrue();
    }

    @Test
    void refusesOperatorsOfOtherGraphs() {
        assertThatThrownBy(() -> grouped().edit().attribute(grouped().nodes().get(0), "group", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an operator must be of this graph to be changed, Conv 'conv1' is not");
    }
}
