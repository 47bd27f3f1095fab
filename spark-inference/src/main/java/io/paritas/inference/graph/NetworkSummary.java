/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import io.paritas.inference.TensorSpec;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A network as a table of its operators and their costs.
 *
 * @param input input of one row
 * @param output output of one row
 * @param layers all operators, in the order of the graph
 * @param rows rows of the batch for intensities
 * @param elementBytes bytes of a weight or an activation for intensities
 * @param total sums over all layers; its name and operator are empty
 */
public record NetworkSummary(
        TensorSpec input, TensorSpec output, List<Row> layers, int rows, int elementBytes, Row total) {

    /**
     * A line of the table.
     *
     * @param name name of the operator
     * @param op its kind, as ONNX names it
     * @param outputShape output shape of one row
     * @param parameters number of parameters
     * @param macs multiplications for one row
     * @param intensity operations per byte of memory traffic; 0 for operators without costs
     */
    public record Row(String name, String op, List<Integer> outputShape, long parameters, long macs, double intensity) {
        private String text(int nameWidth, int opWidth) {
            String shape = outputShape.stream().map(String::valueOf).collect(Collectors.joining("×"));
            return String.format(
                            Locale.ROOT,
                            "%-" + nameWidth + "s  %-" + opWidth + "s  %-14s  %,12d  %10s  %9s",
                            name,
                            op,
                            shape,
                            parameters,
                            macs == 0 ? "" : millions(macs),
                            intensity == 0 ? "" : String.format(Locale.ROOT, "%.1f", intensity))
                    .stripTrailing();
        }
    }

    /** Copies the list. */
    public NetworkSummary {
        layers = List.copyOf(layers);
    }

    /**
     * The table of a network.
     *
     * @param rows rows of the batch for intensities
     * @param elementBytes bytes of a weight or an activation: 2 for FP16, 4 for FP32
     * @throws io.paritas.inference.ModelException if the graph has operators with unknown shapes
     */
    public static NetworkSummary of(Graph graph, int rows, int elementBytes) {
        Costs costs = Costs.of(graph, rows, elementBytes);
        List<Row> layers = costs.layers().stream().map(NetworkSummary::row).toList();
        TensorSpec output = graph.output();
        Row total = new Row("total", "", output.shape(), graph.parameters(), costs.macs(), costs.intensity());
        return new NetworkSummary(graph.input(), output, layers, rows, elementBytes, total);
    }

    private static Row row(LayerCost cost) {
        Node node = cost.node();
        String name = node.name().isEmpty() ? node.output() : node.name();
        return new Row(
                name,
                node.op(),
                cost.outputShape(),
                cost.parameters(),
                cost.macs(),
                cost.linear() ? cost.intensity() : 0);
    }

    /** The table as text: a heading, a line for each operator, the totals, and a note on the intensities. */
    public String text() {
        int name = width(layers.stream().map(Row::name).toList(), 5);
        int op = width(layers.stream().map(Row::op).toList(), 8);
        String heading = String.format(
                Locale.ROOT,
                "%-" + name + "s  %-" + op + "s  %-14s  %12s  %10s  %9s",
                "layer",
                "operator",
                "output",
                "parameters",
                "M MACs/row",
                "ops/byte");
        return layers.stream()
                .map(row -> row.text(name, op))
                .collect(Collectors.joining("\n", heading + "\n", "\n" + total.text(name, op) + "\n" + note()));
    }

    private String note() {
        return "from " + input + " to " + output + "; operations per byte for a batch of " + rows + " rows and "
                + elementBytes + "-byte numbers";
    }

    private static int width(List<String> texts, int least) {
        return Math.max(least, texts.stream().mapToInt(String::length).max().orElse(0));
    }

    static String millions(long count) {
        return String.format(Locale.ROOT, "%,.2f", count / 1e6);
    }

    /** The table, as {@link #text}. */
    @Override
    public String toString() {
        return text();
    }
}
