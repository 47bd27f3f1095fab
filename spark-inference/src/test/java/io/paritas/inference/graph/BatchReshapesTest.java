/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BatchReshapesTest {
    private static Graph read(RawGraph raw) {
        return Graph.of(raw.build().toModelFile());
    }

    /** As TorchScript's exporter writes {@code x.view(x.size(0), -1)} and {@code x.view(x.size(0), 6, 2)}. */
    @Test
    void makeAConstantOfTheBatch() {
        RawGraph raw = RawGraph.of(3, 2, 2)
                .node("Shape", "shape", "input")
                .integer("zero", 0)
                .node("Gather", "size", "shape", "zero")
                .integers("axes", 0)
                .node("Unsqueeze", "batch", "size", "axes")
                .integers("six", 6)
                .integer("two", 2)
                .node("Unsqueeze", "twos", "two", "axes")
                .node("Concat", "target", "batch", "six", "twos")
                .set("axis", 0)
                .node("Reshape", "rows", "input", "target");
        Graph graph = read(raw);
        assertThat(graph.nodes()).extracting(Node::op).containsExactly("Reshape");
        assertThat(graph.integers("rows.target")).containsExactly(0, 6, 2);
        assertThat(graph.output().shape()).containsExactly(6, 2);
        Ort.checkShapes(graph, 3);
    }

    /** As the newer exporter writes it. */
    @Test
    void makeAConstantOfAPartOfTheShape() {
        Graph graph = read(RawGraph.of(3, 2, 2)
                .node("Shape", "batch", "input")
                .set("start", 0)
                .set("end", 1)
                .integers("rest", -1)
                .node("Concat", "target", "batch", "rest")
                .set("axis", 0)
                .node("Reshape", "rows", "input", "target"));
        assertThat(graph.nodes()).extracting(Node::op).containsExactly("Reshape");
        assertThat(graph.output().shape()).containsExactly(12);
        Ort.checkShapes(graph, 3);
    }

    @Test
    void leaveOtherSizesAlone() {
        Graph graph = read(RawGraph.of(3, 2, 2)
                .node("Shape", "shape", "input")
                .integer("one", 1)
                .node("Gather", "size", "shape", "one")
                .integers("axes", 0)
                .node("Unsqueeze", "channels", "size", "axes")
                .integers("rest", -1)
                .node("Concat", "target", "channels", "rest")
                .set("axis", 0)
                .node("Reshape", "rows", "input", "target"));
        assertThat(graph.nodes()).hasSize(5);
        assertThatThrownBy(graph::shapes).hasMessageStartingWith("the operators of a network must be among [Add, ");
    }
}
