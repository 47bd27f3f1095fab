/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.graph.Weight.Role;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Graphs of exporters that write equal weights once. */
class MergedWeightsTest {
    private static RawGraph normalised() {
        return RawGraph.of(4, 2, 2)
                .filled("zeros", 0, 4)
                .filled("ones", 1, 4)
                .node("BatchNormalization", "first", "input", "ones", "zeros", "zeros", "ones")
                .node("BatchNormalization", "second", "first", "ones", "zeros", "zeros", "ones");
    }

    private static List<Role> roles(Graph graph) {
        return graph.nodes().stream()
                .flatMap(node -> node.inputs().stream())
                .filter(graph.weights()::containsKey)
                .map(name -> graph.weights().get(name).role())
                .toList();
    }

    @Test
    void aFreshNormalisationHasFourWeights() {
        Graph graph = normalised().read();

        assertThat(graph.weights()).hasSize(8);
        assertThat(graph.parameters()).isEqualTo(16);
        assertThat(roles(graph))
                .containsExactly(
                        Role.SCALE,
                        Role.SHIFT,
                        Role.MEAN,
                        Role.VARIANCE,
                        Role.SCALE,
                        Role.SHIFT,
                        Role.MEAN,
                        Role.VARIANCE);
        graph.weights().values().forEach(weight -> assertThat(weight.values())
                .containsOnly(weight.role() == Role.SCALE || weight.role() == Role.VARIANCE ? 1 : 0));
        assertThat(Graph.of(graph.toModelFile()).weights()).as("read again").hasSize(8);
    }

    @Test
    void biasesOfZeroBelongToTheirLayers() {
        Graph graph = RawGraph.of(3)
                .weight("one", 3, 3)
                .weight("two", 3, 3)
                .filled("zeros", 0, 3)
                .node("Gemm", "first", "input", "one", "zeros")
                .node("MatMul", "product", "first", "two")
                .node("Add", "second", "product", "zeros")
                .node("Sub", "centred", "second", "zeros")
                .node("Sub", "again", "centred", "zeros")
                .read();

        assertThat(roles(graph))
                .containsExactly(Role.MATRIX, Role.BIAS, Role.MATRIX, Role.BIAS, Role.CONSTANT, Role.CONSTANT);
        assertThat(graph.weights()).hasSize(5);
        assertThat(graph.parameters()).isEqualTo(24);
    }

    /** Two towers with the same layers: nobody has merged them. */
    @Test
    void whatANetworkSharesStaysShared() {
        Graph graph = RawGraph.of(3)
                .weight("matrix", 3, 3)
                .weight("bias", 3)
                .node("Gemm", "first", "input", "matrix", "bias")
                .node("Gemm", "second", "first", "matrix", "bias")
                .read();

        assertThat(graph.weights()).containsOnlyKeys("matrix", "bias");
        assertThat(graph.parameters()).isEqualTo(12);
    }

    @Test
    void aWeightHasOneRole() {
        Graph graph = RawGraph.of(3)
                .weight("matrix", 3, 3)
                .weight("bias", 3)
                .node("Sub", "centred", "input", "bias")
                .node("Gemm", "first", "centred", "matrix", "bias")
                .node("Gemm", "second", "first", "matrix", "bias")
                .read();

        assertThat(roles(graph)).containsExactly(Role.CONSTANT, Role.MATRIX, Role.BIAS, Role.MATRIX, Role.BIAS);
        assertThat(graph.weights()).hasSize(3);
    }
}
