/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.network.Step.Finish;
import io.paritas.gpu.network.Step.Matrix;
import io.paritas.gpu.nn.ImageWindow;
import io.paritas.gpu.nn.Weights;
import io.paritas.inference.UnsupportedModelException;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Weight;
import java.util.List;
import java.util.Optional;

/** Plans convolutions and linear layers, with what they take along. */
final class Products {
    private final Planner planner;

    Products(Planner planner) {
        this.planner = planner;
    }

    /** What a product takes along but its function. */
    private record Along(Channels channels, Optional<String> addend) {}

    Value convolution(Fusion.Group group) {
        Node node = group.head();
        Value given = planner.value(node.input(0));
        Planner.checkImages(given, node);
        List<Integer> shape = planner.shape(node.output());
        Weight kernel = planner.constant(node.input(1));
        long[] size = {kernel.shape()[2], kernel.shape()[3]};
        int groups = Math.toIntExact(node.integer("group", 1));
        boolean isPointwise = Sliding.isPointwise(Sliding.window(node, given.shape(), shape, size));
        Value input = groups > 1 || isPointwise ? planner.images(given, node) : planner.wideImages(given);
        ImageWindow window = Sliding.window(node, input.shape(), shape, size);
        float[] bias = node.hasInput(2) ? planner.constant(node.input(2)).values() : new float[shape.get(0)];
        Along along = along(group, bias);
        Value output = planner.newValue(shape, shape.get(0));
        Finish finish = planner.finish(group, along.addend, output);
        /* Rows of the matrix are taps, and within a tap channels, with zeros for those that only fill up; ONNX has the taps innermost. */
        int taps = window.taps();
        int depth = kernel.shape()[1];
        int stored = input.shape().get(0) / groups;
        float[] values = kernel.values();
        float[] scale = along.channels.scales();
        Weights.Entries entries =
                (k, n) -> k % stored < depth ? values[(n * depth + k % stored) * taps + k / stored] * scale[n] : 0;
        Matrix matrix = matrix(node, Math.multiplyExact(taps, stored), shape.get(0), entries, along);
        if (groups > 1) {
            planner.add(new Step.GroupedConvolution(input, output, window, groups, matrix, finish));
        } else {
            Optional<ImageWindow> seen = isPointwise ? Optional.empty() : Optional.of(window);
            planner.add(new Step.Product(input, output, window.positions(), seen, matrix, finish));
        }
        return output;
    }

    Value linear(Fusion.Group group) {
        Node node = group.head();
        Value given = planner.value(node.input(0));
        List<Integer> shape = planner.shape(node.output());
        Weight weight = planner.constant(node.input(1));
        boolean transposed = node.flag("transB");
        int depth = weight.shape()[transposed ? 1 : 0];
        int columns = weight.shape()[transposed ? 0 : 1];
        int rows = given.size() / depth;
        /* Images that were flattened keep their channels innermost: the rows of the matrix follow them. */
        Value input = planner.arranged(given, rows == 1 ? given.channels() : 1);
        int channels = input.channels();
        float alpha = node.number("alpha", 1);
        float[] values = weight.values();
        Along along = along(group, bias(node, columns));
        float[] scale = along.channels.scales();
        Weights.Entries entries = (k, n) -> {
            int row = k % channels * (depth / channels) + k / channels;
            return alpha * values[transposed ? n * depth + row : row * columns + n] * scale[n];
        };
        Value output = planner.newValue(shape, 1);
        Matrix matrix = matrix(node, depth, columns, entries, along);
        planner.add(new Step.Product(
                input, output, rows, Optional.empty(), matrix, planner.finish(group, along.addend, output)));
        return output;
    }

    private Matrix matrix(Node node, int depth, int columns, Weights.Entries entries, Along along) {
        long bytes = Weights.packedBytes(planner.precision(), depth, columns);
        if (bytes > Integer.MAX_VALUE) {
            throw new UnsupportedModelException(node
                    + " must have weights that take less than 2 GiB on the GPU, where columns"
                    + " fill blocks of " + Weights.BLOCK + ", got " + depth + " x " + columns + ", which take " + bytes
                    + " bytes: leave the choice of the engine to 'auto'");
        }
        if (columns > Weights.MAX_COLUMNS) {
            throw new UnsupportedModelException(node + " must have at most " + Weights.MAX_COLUMNS
                    + " columns on the GPU, got " + columns + ": leave the choice of the engine to 'auto'");
        }
        return new Matrix(depth, columns, entries, along.channels.shifts());
    }

    private float[] bias(Node node, int columns) {
        float[] bias = new float[columns];
        if (node.op().equals("Gemm") && node.hasInput(2)) {
            float[] given = planner.constant(node.input(2)).values();
            float beta = node.number("beta", 1);
            for (int i = 0; i < columns; i++) {
                bias[i] = beta * given[given.length == 1 ? 0 : i];
            }
        }
        return bias;
    }

    private Along along(Fusion.Group group, float[] bias) {
        Channels channels = Channels.bias(bias);
        Optional<String> addend = Optional.empty();
        String own = group.head().output();
        List<Integer> row = planner.shape(own);
        int axis = Fusion.channelAxis(group.head(), row);
        for (Node node : group.rest()) {
            String other = node.inputs().size() > 1 ? other(node, own) : "";
            Weight constant = planner.constant(other);
            switch (node.op()) {
                case "BatchNormalization" ->
                    channels = channels.then(
                            Channels.normalisation(node, planner.graph().weights()));
                case "Mul" ->
                    channels =
                            channels.times(Channels.vector(constant, row, axis).orElseThrow());
                case "Add" -> {
                    if (constant == null) {
                        addend = Optional.of(other);
                    } else {
                        channels = channels.then(Channels.bias(
                                Channels.vector(constant, row, axis).orElseThrow()));
                    }
                }
                default -> {}
            }
            own = node.output();
        }
        return new Along(channels, addend);
    }

    private String other(Node node, String own) {
        return planner.name(node.input(0)).equals(own) ? node.input(1) : node.input(0);
    }
}
