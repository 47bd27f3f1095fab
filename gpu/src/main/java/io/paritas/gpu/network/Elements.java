/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.network.Step.Combine;
import io.paritas.gpu.network.Step.Operand;
import io.paritas.gpu.nn.Activation;
import io.paritas.gpu.nn.NetworkLaunches.Operation;
import io.paritas.inference.UnsupportedModelException;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Weight;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Plans what is computed element by element and that no product takes along. */
final class Elements {
    /** Dimensions of a row that the kernel knows. */
    private static final int DIMENSIONS = 3;

    private final Planner planner;

    Elements(Planner planner) {
        this.planner = planner;
    }

    /** A function alone. */
    Value function(Fusion.Group group) {
        Value given = planner.value(group.head().input(0));
        Value input = planner.arranged(given, given.channels());
        return flat(Operation.KEEP, input, input, planner.activation(group));
    }

    /** A batch normalisation that follows no product. */
    Value normalise(Fusion.Group group) {
        Node node = group.head();
        Channels channels = Channels.normalisation(node, planner.graph().weights());
        Value input = planner.value(node.input(0));
        int[] shape = new int[input.shape().size()];
        Arrays.fill(shape, 1);
        shape[0] = input.shape().get(0);
        Value scaled = withConstant(node, Operation.MULTIPLY, input, shape, channels.scales(), Activation.NONE);
        return withConstant(node, Operation.ADD, scaled, shape, channels.shifts(), planner.activation(group));
    }

    /** A sum or a product of two operands, of which one may be a constant. */
    Value combine(Fusion.Group group, Operation operation) {
        Node node = group.head();
        Activation activation = planner.activation(group);
        Weight left = planner.constant(node.input(0));
        Weight right = planner.constant(node.input(1));
        if (left == null && right == null) {
            return ofValues(node, operation, activation);
        }
        Weight constant = left == null ? right : left;
        Value value = planner.value(node.input(left == null ? 0 : 1));
        return withConstant(node, operation, value, constant.shape(), constant.values(), activation);
    }

    private Value ofValues(Node node, Operation operation, Activation activation) {
        Value left = planner.value(node.input(0));
        Value right = planner.value(node.input(1));
        List<Integer> shape = planner.shape(node.output());
        if (left.shape().equals(right.shape())) {
            Value first = planner.arranged(left, left.channels());
            return flat(operation, first, planner.arranged(right, first.channels()), activation);
        }
        Layout layout =
                layout(node, shape, left.isImages() && right.isImages() && !(left.isPlain() && right.isPlain()));
        Value first = layout.images ? planner.images(left, node) : planner.plain(left);
        Value second = layout.images ? planner.images(right, node) : planner.plain(right);
        Value output = planner.newValue(shape, layout.images ? shape.get(0) : 1);
        planner.add(new Combine(
                operation,
                layout.operand(first),
                layout.operand(second),
                output,
                layout.inMemory(ints(shape)),
                activation));
        return output;
    }

    private Value withConstant(
            Node node, Operation operation, Value given, int[] shape, float[] constants, Activation activation) {
        List<Integer> whole = planner.shape(node.output());
        Layout layout = layout(node, whole, given.isImages() && !given.isPlain());
        Value value = layout.images ? planner.images(given, node) : planner.plain(given);
        int[] own = shape.length > whole.size() ? Arrays.copyOfRange(shape, 1, shape.length) : shape;
        int[] strides = new Value(0, Arrays.stream(own).boxed().toList(), 1).strides();
        Operand constant = new Operand(Optional.empty(), constants, layout.strides(0, own, strides));
        Value output = planner.newValue(whole, layout.images ? whole.get(0) : 1);
        planner.add(new Combine(
                operation, layout.operand(value), constant, output, layout.inMemory(ints(whole)), activation));
        return output;
    }

    /** Operands of one shape and order. */
    private Value flat(Operation operation, Value left, Value right, Activation activation) {
        Value output = planner.newValue(left.shape(), left.channels());
        int[] strides = {left.size(), 0, 0, 1};
        planner.add(new Combine(
                operation,
                new Operand(Optional.of(left), Operand.NO_CONSTANTS, strides),
                new Operand(Optional.of(right), Operand.NO_CONSTANTS, strides),
                output,
                new int[] {1, 1, left.size()},
                activation));
        return output;
    }

    private static Layout layout(Node node, List<Integer> shape, boolean images) {
        if (shape.size() > DIMENSIONS) {
            throw new UnsupportedModelException(node + " must have at most " + DIMENSIONS
                    + " dimensions after the batch to combine different shapes on the GPU, got " + shape);
        }
        return new Layout(images);
    }

    private static int[] ints(List<Integer> shape) {
        return shape.stream().mapToInt(Integer::intValue).toArray();
    }

    /** The order of the dimensions in memory. */
    private record Layout(boolean images) {
        /** Three sizes, outermost first. */
        int[] inMemory(int[] sizes) {
            return permuted(sizes, 1);
        }

        Operand operand(Value value) {
            return new Operand(
                    Optional.of(value),
                    Operand.NO_CONSTANTS,
                    strides(value.size(), ints(value.shape()), value.strides()));
        }

        /** The distance between rows, then the three in memory; dimensions of size 1 are repeated. */
        int[] strides(int row, int[] shape, int[] distances) {
            int[] strides = distances.clone();
            for (int i = 0; i < shape.length; i++) {
                strides[i] = shape[i] == 1 ? 0 : strides[i];
            }
            int[] all = new int[DIMENSIONS + 1];
            all[0] = row;
            System.arraycopy(permuted(strides, 0), 0, all, 1, DIMENSIONS);
            return all;
        }

        private int[] permuted(int[] given, int filler) {
            int[] three = new int[DIMENSIONS];
            Arrays.fill(three, filler);
            System.arraycopy(given, 0, three, DIMENSIONS - given.length, given.length);
            return images ? new int[] {three[1], three[2], three[0]} : three;
        }
    }
}
