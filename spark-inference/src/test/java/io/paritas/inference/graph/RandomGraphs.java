/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import io.paritas.inference.ModelException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * Small networks of operators drawn at random, as exporters might write them, with random weights. What {@link Graph#shapes} refuses is
 * drawn again. {@code -Dio.paritas.test.seed} chooses the networks, {@code -Dio.paritas.test.networks.random} says how many.
 */
public final class RandomGraphs {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_127L);
    private static final int MOST_VALUES = 6_000;

    private final Random random;
    private final int opset;
    private final Integer[] input;
    private final List<Consumer<RawGraph>> parts = new ArrayList<>();
    private Map<String, List<Integer>> shapes;

    private RandomGraphs(long seed) {
        random = new Random(seed);
        opset = pick(9, 10, 11, 12, 13, 17, 17);
        input = inputShape();
        shapes = Map.of("input", List.of(input));
    }

    /** Seeds of a test's networks. */
    public static LongStream seeds(int usually) {
        return LongStream.range(SEED, SEED + Integer.getInteger("io.paritas.test.networks.random", usually));
    }

    /** The network of a seed. */
    public static Graph of(long seed) {
        RandomGraphs drawn = new RandomGraphs(seed);
        int operators = drawn.between(1, 8);
        while (drawn.parts.size() < operators) {
            drawn.append();
        }
        List<String> values = new ArrayList<>(drawn.shapes.keySet());
        int last = values.size() - 1;
        String output = values.get(drawn.chance(4) ? drawn.between(1, last) : last);
        return drawn.weighted(drawn.graph(output));
    }

    private Integer[] inputShape() {
        return switch (between(0, 9)) {
            case 0, 1 -> new Integer[] {pick(1, 3, 9, 40)};
            case 2 -> new Integer[] {between(1, 4), between(1, 12)};
            case 3 -> new Integer[] {between(1, 3), between(1, 3), between(1, 4), between(1, 4)};
            default -> new Integer[] {between(1, 20), between(1, 9), between(1, 9)};
        };
    }

    private Graph graph(String output) {
        RawGraph raw = RawGraph.withOpset(opset, input);
        parts.forEach(part -> part.accept(raw));
        return raw.build(output);
    }

    private void append() {
        String name = "v" + parts.size();
        Consumer<RawGraph> part = operator(name);
        if (part == null) {
            return;
        }
        parts.add(part);
        try {
            Map<String, List<Integer>> all = graph(name).shapes();
            if (all.get(name).stream().reduce(1, Math::multiplyExact) <= MOST_VALUES) {
                shapes = all;
                return;
            }
        } catch (ModelException e) {
            /* Drawn again. */
        }
        parts.remove(parts.size() - 1);
    }

    /** One more operator; null if it does not suit the value that was drawn. */
    private Consumer<RawGraph> operator(String name) {
        String from = value();
        List<Integer> shape = shapes.get(from);
        boolean image = shape.size() == 3;
        return switch (between(0, 15)) {
            case 0, 1, 2 -> image ? convolution(name, from, shape) : product(name, from, shape);
            case 3, 4 -> image ? pool(name, from, shape) : product(name, from, shape);
            case 5 ->
                image && chance(2) ? raw -> raw.node("GlobalAveragePool", name, from) : product(name, from, shape);
            case 6 -> normalisation(name, from, shape.get(0));
            case 7, 8 -> withConstant(name, from, shape);
            case 9, 10 -> ofValues(name, from, shape);
            case 11, 12 -> function(name, from);
            case 13 -> concatenation(name, from, shape);
            case 14 -> reshape(name, from, shape);
            default -> simple(name, from, shape);
        };
    }

    private Consumer<RawGraph> simple(String name, String from, List<Integer> shape) {
        if (chance(2)) {
            String op = pick("Flatten", "Flatten", "Identity");
            return raw -> raw.node(op, name, from);
        }
        int axis = between(1, shape.size());
        int given = chance(2) ? axis : axis - shape.size() - 1;
        return chance(2)
                ? raw -> raw.node("Softmax", name, from).set("axis", given)
                : raw -> raw.node("Softmax", name, from);
    }

    private Consumer<RawGraph> convolution(String name, String from, List<Integer> shape) {
        int channels = shape.get(0);
        int groups = chance(3) ? channels : 1;
        groups = chance(6) && channels % 2 == 0 ? channels / 2 : groups;
        int outputs = groups * (groups == 1 ? pick(between(1, 20), between(1, 20), 65) : between(1, 3));
        int height = pick(1, 1, 3, 2, 5);
        int width = chance(3) ? pick(1, 3, 4) : height;
        int[] kernel = {outputs, channels / groups, height, width};
        boolean biased = chance(2);
        int count = groups;
        Consumer<RawGraph> window = window(height, width, Sliding.FILTER);
        return raw -> {
            raw.weight(name + "_kernel", kernel);
            if (biased) {
                raw.weight(name + "_bias", outputs).node("Conv", name, from, name + "_kernel", name + "_bias");
            } else {
                raw.node("Conv", name, from, name + "_kernel");
            }
            window.accept(raw);
            if (count > 1) {
                raw.set("group", count);
            }
        };
    }

    private Consumer<RawGraph> pool(String name, String from, List<Integer> shape) {
        int height = between(1, Math.min(4, shape.get(1)));
        int width = between(1, Math.min(4, shape.get(2)));
        boolean max = chance(2);
        boolean up = chance(2) && opset > 9;
        boolean counts = !max && chance(2);
        Consumer<RawGraph> window = window(height, width, up ? Sliding.POOL_UP : Sliding.POOL);
        return raw -> {
            raw.node(max ? "MaxPool" : "AveragePool", name, from).list("kernel_shape", (long) height, (long) width);
            window.accept(raw);
            if (up) {
                raw.set("ceil_mode", 1);
            }
            if (counts) {
                raw.set("count_include_pad", 1);
            }
        };
    }

    /** What slides over an image. */
    private enum Sliding {
        FILTER,
        POOL,
        /** A pool that rounds sizes up. */
        POOL_UP
    }

    /**
     * Strides, padding and dilation. A pool's padding must be less than its window. ONNX Runtime infers wrong sizes of pools that round up
     * if the last window may begin after the image, so these have small strides and nothing behind the image.
     */
    private Consumer<RawGraph> window(int height, int width, Sliding what) {
        boolean up = what == Sliding.POOL_UP;
        Long[] strides = {(long) between(1, up ? height : 3), (long) between(1, up ? width : 3)};
        Long[] pads = new Long[4];
        for (int i = 0; i < pads.length; i++) {
            int size = i % 2 == 0 ? height : width;
            pads[i] = up && i > 1 ? 0L : between(0, what == Sliding.FILTER ? size : size - 1);
        }
        Long[] dilations = {(long) between(1, 2), (long) between(1, 2)};
        boolean strided = chance(2);
        boolean padded = chance(2);
        boolean valid = !padded && chance(5);
        boolean dilated = what == Sliding.FILTER && chance(4);
        return raw -> {
            if (strided) {
                raw.list("strides", strides);
            }
            if (padded) {
                raw.list("pads", pads);
            }
            if (valid) {
                raw.text("auto_pad", "VALID");
            }
            if (dilated) {
                raw.list("dilations", dilations);
            }
        };
    }

    private Consumer<RawGraph> product(String name, String from, List<Integer> shape) {
        int depth = shape.get(shape.size() - 1);
        int columns = pick(1, 2, 5, 8, 33, 70, 250);
        if (shape.size() > 1 || chance(3)) {
            return raw -> raw.weight(name + "_matrix", depth, columns).node("MatMul", name, from, name + "_matrix");
        }
        boolean transposed = chance(2);
        boolean alpha = chance(3);
        boolean beta = chance(3);
        int bias = between(opset < 11 ? 1 : 0, 4);
        return raw -> {
            raw.weight(name + "_matrix", transposed ? columns : depth, transposed ? depth : columns);
            if (bias == 0) {
                raw.node("Gemm", name, from, name + "_matrix");
            } else {
                int[][] sizes = {{}, {columns}, {1, columns}, {1}};
                raw.weight(name + "_bias", sizes[bias % 4]);
                raw.node("Gemm", name, from, name + "_matrix", name + "_bias");
            }
            if (transposed) {
                raw.set("transB", 1);
            }
            if (alpha) {
                raw.number("alpha", 0.5f);
            }
            if (beta) {
                raw.number("beta", -2);
            }
        };
    }

    private Consumer<RawGraph> normalisation(String name, String from, int channels) {
        return raw -> raw.weight(name + "_scale", channels)
                .weight(name + "_shift", channels)
                .weight(name + "_mean", channels)
                .weight(name + "_variance", channels)
                .node(
                        "BatchNormalization",
                        name,
                        from,
                        name + "_scale",
                        name + "_shift",
                        name + "_mean",
                        name + "_variance")
                .number("epsilon", 0.01f);
    }

    /** A constant of which some sizes are 1, of fewer dimensions than a row, as many, or one more. */
    private Consumer<RawGraph> withConstant(String name, String from, List<Integer> shape) {
        List<Integer> sizes = new ArrayList<>(shape);
        boolean channels = chance(2);
        for (int i = 0; i < sizes.size(); i++) {
            boolean one = channels ? i > 0 : chance(2);
            int whole = sizes.get(i) == 1 && chance(3) ? between(1, 5) : sizes.get(i);
            sizes.set(i, one ? 1 : whole);
        }
        switch (between(0, 5)) {
            case 0 -> sizes.add(0, 1);
            case 1 -> sizes.clear();
            case 2 -> sizes.subList(0, between(0, sizes.size())).clear();
            default -> {}
        }
        int[] held = sizes.stream().mapToInt(Integer::intValue).toArray();
        String op = pick("Add", "Mul", "Add", "Mul", "Sub", "Div");
        boolean first = !op.equals("Div") && chance(2);
        String constant = name + (op.equals("Div") ? "_divisor" : "_constant");
        return raw -> raw.weight(constant, held).node(op, name, first ? constant : from, first ? from : constant);
    }

    private Consumer<RawGraph> ofValues(String name, String from, List<Integer> shape) {
        List<String> fitting = shapes.keySet().stream()
                .filter(other -> shapes.get(other).equals(shape) || chance(3))
                .toList();
        String other = fitting.isEmpty() ? from : fitting.get(between(0, fitting.size() - 1));
        String op = parts.size() > 3 ? "Add" : pick("Add", "Add", "Mul");
        boolean first = chance(2);
        return raw -> raw.node(op, name, first ? other : from, first ? from : other);
    }

    private Consumer<RawGraph> function(String name, String from) {
        String op = pick("Relu", "Clip", "Sigmoid", "Tanh", "Relu", "Dropout");
        if (!op.equals("Clip")) {
            return raw -> raw.node(op, name, from);
        }
        boolean low = chance(2);
        boolean high = chance(2);
        if (opset < 11) {
            return raw -> {
                raw.node(op, name, from);
                if (low) {
                    raw.number("min", -0.5f);
                }
                if (high) {
                    raw.number("max", 0.5f);
                }
            };
        }
        return raw -> raw.weight(name + "_low")
                .weight(name + "_high")
                .node(op, name, from, low ? name + "_low" : "", high ? name + "_high" : "");
    }

    private Consumer<RawGraph> concatenation(String name, String from, List<Integer> shape) {
        int axis = between(1, shape.size());
        List<String> parts = new ArrayList<>(List.of(from));
        for (String other : shapes.keySet()) {
            if (fits(shape, shapes.get(other), axis - 1) && chance(2)) {
                parts.add(other);
            }
        }
        Collections.shuffle(parts, random);
        int given = chance(2) ? axis : axis - shape.size() - 1;
        return raw -> raw.node("Concat", name, parts.toArray(String[]::new)).set("axis", given);
    }

    private static boolean fits(List<Integer> one, List<Integer> other, int axis) {
        if (one.size() != other.size()) {
            return false;
        }
        List<Integer> same = new ArrayList<>(other);
        same.set(axis, one.get(axis));
        return same.equals(one);
    }

    private Consumer<RawGraph> reshape(String name, String from, List<Integer> shape) {
        int size = shape.stream().reduce(1, Math::multiplyExact);
        List<Long> target = new ArrayList<>();
        int left = size;
        for (int i = between(0, 2); i > 0; i--) {
            int at = target.size();
            if (at < shape.size() && chance(3) && left % shape.get(at) == 0) {
                left /= shape.get(at);
                target.add(0L);
            } else {
                int part = divisor(left);
                left /= part;
                target.add((long) part);
            }
        }
        boolean unknown = chance(2);
        target.add(unknown ? -1L : left);
        target.add(0, unknown || chance(2) ? 0L : -1L);
        long[] sizes = target.stream().mapToLong(Long::longValue).toArray();
        return raw -> raw.integers(name + "_target", sizes).node("Reshape", name, from, name + "_target");
    }

    private int divisor(int of) {
        int divisor = between(1, of);
        while (of % divisor != 0) {
            divisor--;
        }
        return divisor;
    }

    /** Values near 1, so that those of the layers stay there. The output says its shape, which ONNX Runtime cannot always infer. */
    private Graph weighted(Graph graph) {
        List<Weight> weights =
                graph.weights().values().stream().map(this::weighted).toList();
        return graph.edit().weights(weights).outputShape(graph.output().shape()).build();
    }

    private Weight weighted(Weight weight) {
        float[] values = new float[weight.size()];
        double spread = spread(weight);
        for (int i = 0; i < values.length; i++) {
            double drawn = random.nextGaussian() * spread;
            values[i] = (float)
                    (weight.name().endsWith("_variance") || weight.name().endsWith("_divisor")
                            ? 0.75 + Math.abs(drawn)
                            : drawn);
        }
        if (weight.name().endsWith("_low") || weight.name().endsWith("_high")) {
            values[0] = weight.name().endsWith("_low") ? -0.5f : 0.75f;
        }
        return weight.with(values);
    }

    private static double spread(Weight weight) {
        int[] shape = weight.shape();
        return switch (weight.role()) {
            case KERNEL -> Math.sqrt((double) shape[0] / weight.size());
            case MATRIX -> Math.sqrt((shape[0] + shape[1]) / 2.0 / weight.size());
            default -> 0.5;
        };
    }

    private String value() {
        List<String> names = new ArrayList<>(shapes.keySet());
        int last = names.size() - 1;
        return names.get(chance(4) ? between(0, last) : last);
    }

    private int between(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    private boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    @SafeVarargs
    private <T> T pick(T... from) {
        return from[random.nextInt(from.length)];
    }
}
