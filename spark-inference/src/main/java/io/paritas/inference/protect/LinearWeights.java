/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Weight;
import io.paritas.inference.protect.gemm.Gemm;
import io.paritas.inference.protect.gemm.Weights;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The matrix and the bias of a layer while the network is built. */
final class LinearWeights {
    private static final Set<String> LAYERS = Set.of("Conv", "Gemm", "MatMul");

    private final Weights.Entries entries;
    private final int columns;
    private final int depth;
    private final int groups;
    private final Window window;
    private final float[] scale;
    private final float[] bias;

    private LinearWeights(Weights.Entries entries, int columns, int depth, int groups, Window window, float[] bias) {
        this.entries = entries;
        this.columns = columns;
        this.depth = depth;
        this.groups = groups;
        this.window = window;
        this.bias = bias;
        this.scale = new float[columns];
        Arrays.fill(scale, 1);
    }

    /**
     * The sizes of the convolutions and linear layers of a graph for a batch, whatever the operators between them are.
     *
     * @throws io.paritas.inference.ModelException if a convolution is over one dimension, or over three
     */
    static List<LayerGeometry> geometries(Graph graph, int rows) {
        Map<String, List<Integer>> shapes = graph.shapes();
        return graph.nodes().stream()
                .filter(node -> LAYERS.contains(node.op()))
                .map(node -> {
                    if (node.op().equals("Conv")) {
                        NetworkBuilder.image(node, shapes.get(node.input(0)));
                    }
                    LinearWeights weights = of(graph, node);
                    return weights.geometry(node, rows, shapes.get(node.input(0)), shapes.get(node.output()));
                })
                .toList();
    }

    private LayerGeometry geometry(Node node, int rows, List<Integer> in, List<Integer> out) {
        int positions = out.stream().reduce(1, Math::multiplyExact) / columns;
        ImageShape shape = window == null ? new ImageShape(depth, positions, 1) : ImageShape.of(in);
        return new LayerGeometry(
                node.toString(),
                rows,
                shape,
                Optional.ofNullable(window),
                new LayerShape((long) rows * positions, columns / groups, depth, groups));
    }

    static LinearWeights of(Graph graph, Node node) {
        Weight weight = graph.weights().get(node.input(1));
        return node.op().equals("Conv") ? convolution(graph, node, weight) : matrix(graph, node, weight);
    }

    /** Orders the rows of the matrix as pixels are in memory: by height, width, channel. */
    private static LinearWeights convolution(Graph graph, Node node, Weight weight) {
        int[] shape = weight.shape();
        int channels = shape[1];
        int height = shape[2];
        int width = shape[3];
        float[] values = weight.values();
        Weights.Entries entries = (k, n) -> {
            int channel = k % channels;
            int pixel = k / channels;
            return values[(n * channels + channel) * height * width + pixel];
        };
        return new LinearWeights(
                entries,
                shape[0],
                channels * height * width,
                Math.toIntExact(node.integer("group", 1)),
                Window.of(node, height, width),
                bias(graph, node, shape[0], 1));
    }

    private static LinearWeights matrix(Graph graph, Node node, Weight weight) {
        boolean transposed = node.flag("transB");
        int depth = weight.shape()[transposed ? 1 : 0];
        int columns = weight.shape()[transposed ? 0 : 1];
        float alpha = node.number("alpha", 1);
        float[] values = weight.values();
        Weights.Entries entries =
                transposed ? (k, n) -> alpha * values[n * depth + k] : (k, n) -> alpha * values[k * columns + n];
        return new LinearWeights(entries, columns, depth, 1, null, bias(graph, node, columns, node.number("beta", 1)));
    }

    private static float[] bias(Graph graph, Node node, int columns, float beta) {
        float[] bias = new float[columns];
        if (node.hasInput(2)) {
            float[] held = graph.weights().get(node.input(2)).values();
            for (int n = 0; n < columns; n++) {
                bias[n] = beta * held[held.length == 1 ? 0 : n];
            }
        }
        return bias;
    }

    /** Absorbs the next operator if it only scales and shifts columns. */
    boolean absorb(Graph graph, Node next, String output) {
        Optional<ChannelAffine> affine = ChannelAffine.of(graph, next, output::equals, columns);
        affine.ifPresent(by -> {
            for (int n = 0; n < columns; n++) {
                scale[n] *= by.scale()[n];
                bias[n] = bias[n] * by.scale()[n] + by.shift()[n];
            }
        });
        return affine.isPresent();
    }

    LinearLayer layer(Node node, ImageShape in, ImageShape out) {
        List<Gemm> gemms = new ArrayList<>();
        int each = columns / groups;
        for (int group = 0; group < groups; group++) {
            int first = group * each;
            gemms.add(new Gemm(Weights.pack(
                    depth,
                    each,
                    (k, n) -> entries.at(k, first + n) * scale[first + n],
                    Arrays.copyOfRange(bias, first, first + each))));
        }
        return new LinearLayer(node.toString(), in, out, window, List.copyOf(gemms));
    }
}
