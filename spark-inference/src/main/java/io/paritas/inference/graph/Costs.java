/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Operations, memory traffic and arithmetic intensity of a network for a batch (thesis, 9.2.2). Every convolution and linear layer
 * reads its input and its weights and writes its output once; other operators are free. Immutable.
 */
public final class Costs {
    private final List<LayerCost> layers;

    /** How layers are counted. */
    public enum Accounting {
        /**
         * Layers as they are (thesis, 9.2.2): 2 operations for each multiplication, 1 for each addition of a bias. Memory traffic
         * is of activations and weights, not of biases.
         */
        LAYERS {
            @Override
            LayerCost of(Gemm gemm, int bytes) {
                return gemm.cost(gemm.operations, gemm.inputs, gemm.outputs, gemm.layer.weights(), bytes);
            }
        },
        /**
         * Layers as the matrix products that a GPU computes (thesis, chapter 4): a convolution reads a pixel once for each element
         * of its kernel, and all three sizes of a product are rounded up to a multiple of 8. Biases are not counted.
         */
        PADDED_PRODUCTS {
            @Override
            LayerCost of(Gemm gemm, int bytes) {
                long m = padded(gemm.rows);
                long n = padded(gemm.columns);
                long k = padded(gemm.depth);
                long groups = gemm.groups;
                return gemm.cost(groups * 2 * m * n * k, groups * m * k, groups * m * n, groups * k * n, bytes);
            }
        };

        abstract LayerCost of(Gemm gemm, int bytes);

        private static long padded(long size) {
            return (size + 7) / 8 * 8;
        }
    }

    /** A layer as matrix products of (rows, depth) and (depth, columns), one for each group; and as it is. */
    private record Gemm(
            LayerCost layer,
            long rows,
            long columns,
            long depth,
            long groups,
            long operations,
            long inputs,
            long outputs) {

        LayerCost cost(long counted, long read, long written, long weights, int bytes) {
            return new LayerCost(
                    layer.node(),
                    layer.outputShape(),
                    layer.parameters(),
                    layer.weights(),
                    layer.macs(),
                    counted,
                    read * bytes,
                    weights * bytes,
                    written * bytes);
        }
    }

    private Costs(List<LayerCost> layers) {
        this.layers = List.copyOf(layers);
    }

    /** {@link #of(Graph, int, int, Accounting)} of the layers as they are. */
    public static Costs of(Graph graph, int rows, int elementBytes) {
        return of(graph, rows, elementBytes, Accounting.LAYERS);
    }

    /**
     * Costs of one pass.
     *
     * @param rows rows of the batch
     * @param elementBytes bytes of a weight or an activation: 2 for FP16, 4 for FP32
     * @throws io.paritas.inference.ModelException if the graph has operators with unknown shapes
     */
    public static Costs of(Graph graph, int rows, int elementBytes, Accounting accounting) {
        if (rows < 1 || elementBytes < 1) {
            throw new IllegalArgumentException("costs need at least 1 row of elements of at least 1 byte, got " + rows
                    + " rows of " + elementBytes + " bytes");
        }
        Map<String, List<Integer>> shapes = graph.shapes();
        List<LayerCost> layers = new ArrayList<>();
        for (Node node : graph.nodes()) {
            layers.add(of(graph, shapes, node, rows, elementBytes, accounting));
        }
        return new Costs(layers);
    }

    private static LayerCost of(
            Graph graph,
            Map<String, List<Integer>> shapes,
            Node node,
            int rows,
            int elementBytes,
            Accounting accounting) {
        List<Integer> shape = shapes.get(node.output());
        long outputs = Dimensions.longSize(shape);
        long biases = biases(graph, node) * outputs * rows;
        Weight weight = linear(node) ? graph.weights().get(node.input(1)) : null;
        if (weight == null) {
            return new LayerCost(node, shape, parameters(graph, node), 0, 0, biases, 0, 0, 0);
        }
        long groups = node.op().equals("Conv") ? node.integer("group", 1) : 1;
        long columns = outputsOf(node, weight);
        long depth = weight.size() / columns;
        long macs = outputs * depth;
        LayerCost layer = new LayerCost(node, shape, parameters(graph, node), weight.size(), macs, 0, 0, 0, 0);
        Gemm gemm = new Gemm(
                layer,
                outputs / columns * rows,
                columns / groups,
                depth,
                groups,
                2 * macs * rows + biases,
                Dimensions.longSize(shapes.get(node.input(0))) * rows,
                outputs * rows);
        return accounting.of(gemm, elementBytes);
    }

    private static boolean linear(Node node) {
        return node.op().equals("Conv") || node.op().equals("Gemm") || node.op().equals("MatMul");
    }

    private static long outputsOf(Node node, Weight weight) {
        boolean last = node.op().equals("MatMul") || (node.op().equals("Gemm") && !node.flag("transB"));
        return weight.shape()[last ? 1 : 0];
    }

    /** Additions of a bias to each output: 0 or 1. */
    private static long biases(Graph graph, Node node) {
        return node.op().equals("BatchNormalization")
                ? 0
                : held(graph, node).stream()
                        .filter(weight -> weight.role() == Weight.Role.BIAS)
                        .count();
    }

    private static long parameters(Graph graph, Node node) {
        return held(graph, node).stream()
                .filter(weight -> weight.role().trained())
                .mapToLong(Weight::size)
                .sum();
    }

    private static List<Weight> held(Graph graph, Node node) {
        return node.inputs().stream()
                .distinct()
                .filter(graph.weights()::containsKey)
                .map(graph.weights()::get)
                .toList();
    }

    /** Every operator, in the order of the graph. */
    public List<LayerCost> layers() {
        return layers;
    }

    /** Parameters of all layers; a weight that two layers share counts twice. */
    public long parameters() {
        return sum(LayerCost::parameters);
    }

    /** Parameters of convolutions and linear layers without biases. */
    public long weights() {
        return sum(LayerCost::weights);
    }

    /** Multiplications for one row. */
    public long macs() {
        return sum(LayerCost::macs);
    }

    /** Operations for the batch. */
    public long operations() {
        return sum(LayerCost::operations);
    }

    /** Memory traffic for the batch. */
    public long bytes() {
        return sum(LayerCost::bytes);
    }

    /** Aggregate arithmetic intensity: all operations by all bytes (thesis, 9.2.2). */
    public double intensity() {
        return bytes() == 0 ? 0 : (double) operations() / bytes();
    }

    private long sum(ToLongFunction<LayerCost> of) {
        return layers.stream().mapToLong(of).sum();
    }

    /** For example {@code 8.1 M multiplications, 58.7 operations per byte}. */
    @Override
    public String toString() {
        return NetworkSummary.millions(macs()) + " M multiplications, "
                + String.format(Locale.ROOT, "%.1f operations per byte", intensity());
    }
}
