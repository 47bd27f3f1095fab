/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import io.paritas.inference.TensorSpec;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A network as a table: what it consists of and what each operator costs.
 *
 * @param input of one row
 * @param output of one row
 * @param layers every operator, in the order of the graph
 * @param rows in the batch that intensities are for
 * @param elementBytes that intensities are for
 * @param total of all layers; its name and operator are empty
 */
public record NetworkSummary(
        TensorSpec input, TensorSpec output, List<Row> layers, int rows, int elementBytes, Row total) {

    /**
     * One line.
     *
     * @param name of the operator
     * @param op its kind, as ONNX names it
     * @param outputShape of one row
     * @param parameters trained by gradients
     * @param macs multiplications for one row
     * @param intensity operations for each byte of memory traffic; 0 for an operator that is free
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
     * @param rows in the batch that intensities are for
     * @param elementBytes of a weight or an activation: 2 for FP16, 4 for FP32
     * @throws io.paritas.inference.ModelException if the graph has operators whose shapes are not known
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

    /** The table as text: a heading, a line for each operator, the totals, and what the intensities are for. */
    public String text() {
        int name = width(layers.stream().map(Row::name).toList(), 5);
        int op = width(layers.stream().map(Row::op).toList(), 8);
        String heading = String.format(
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

    /** As {@link #text}. */
    @Override
    public String toString() {
        return text();
    }
}
