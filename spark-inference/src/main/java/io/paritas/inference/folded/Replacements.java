/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.inference.ModelException;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Node;
import io.paritas.inference.graph.Weight;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** The new constants of a folded graph. Operators that share a constant must need the same one. */
final class Replacements {
    private final Graph graph;
    private final Map<String, Weight> weights = new LinkedHashMap<>();
    private final Map<String, long[]> integers = new LinkedHashMap<>();
    private final Graph.Editor edit;

    Replacements(Graph graph) {
        this.graph = graph;
        this.edit = graph.edit();
    }

    /** An editor of the graph with all replacements made. */
    Graph.Editor edit() {
        integers.forEach(edit::integers);
        return edit.weights(weights.values());
    }

    /** Replaces a weight by one of another shape: zeros, or ones for scales and variances. */
    void resized(String name, int... shape) {
        Weight resized = graph.weights().get(name).resized(shape);
        if (resized.role() == Weight.Role.SCALE || resized.role() == Weight.Role.VARIANCE) {
            Arrays.fill(resized.values(), 1);
        }
        put(resized);
    }

    /** Repeats a constant along an axis; the sizes of all axes before it must be 1. */
    void repeated(Weight held, int axis, int times) {
        int[] shape = held.shape().clone();
        shape[axis] *= times;
        float[] values = new float[Math.multiplyExact(times, held.size())];
        for (int i = 0; i < times; i++) {
            System.arraycopy(held.values(), 0, values, i * held.size(), held.size());
        }
        put(new Weight(held.name(), held.role(), shape, values));
    }

    void integers(String name, long[] values) {
        long[] other = integers.putIfAbsent(name, values);
        if (other != null && !Arrays.equals(other, values)) {
            throw shared("reshapes that share a target", name, Arrays.toString(other), Arrays.toString(values));
        }
    }

    void attribute(Node node, String name, long value) {
        edit.attribute(node, name, value);
    }

    private void put(Weight weight) {
        Weight other = weights.putIfAbsent(weight.name(), weight);
        if (other != null && !Arrays.equals(other.shape(), weight.shape())) {
            throw shared(
                    "layers that share a weight",
                    weight.name(),
                    Arrays.toString(other.shape()),
                    Arrays.toString(weight.shape()));
        }
    }

    private static ModelException shared(String who, String name, String one, String other) {
        return new ModelException(who + " must need the same when folded, but '" + name + "' would be " + one + " and "
                + other + ": give each its own");
    }
}
