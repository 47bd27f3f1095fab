/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.folded.StackCheck;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.parity.Residual;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.parity.ResidualDistribution;
import io.paritas.inference.protect.BitFlip;
import io.paritas.inference.protect.FaultInjection;
import io.paritas.inference.protect.LayerFindings;
import io.paritas.inference.protect.LayerProbes;
import io.paritas.inference.protect.LayerShape;
import io.paritas.inference.protect.ProtectedModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/** Flips bits of what a model's layers compute, one at a time, and asks each method whether it sees that. */
final class FlipStudy {
    /** Rows of a batch; a flip hits one of their values. */
    static final int ROWS = 8;

    private static final int CLEAN_STACKS = 2_000;
    private static final AtomicReference<LayerProbes> CURRENT = new AtomicReference<>(LayerProbes.NONE);

    private final String name;
    private final Inputs inputs;
    private final Optional<ParityModels> parity;
    private final int fold;
    private final double rate;
    private final ProtectedModel plain;
    private final ProtectedModel guided;
    private final Random random;
    private Model loadedParity;

    /** What sees a flip. */
    enum Method {
        RESIDUAL,
        COPIES,
        TURNED,
        GUIDED,
        RECOMPUTED
    }

    /**
     * Flips of one bit.
     *
     * @param flips how many there were
     * @param changed those after which an answer differs
     * @param harmful those after which another class is the largest, or a value is not finite
     * @param seen by method: of all that changed an answer
     * @param seenHarmful by method: of the harmful ones
     */
    record Bit(int flips, int changed, int harmful, int[] seen, int[] seenHarmful) {}

    /**
     * A study.
     *
     * @param file the model that is hit
     * @param inputs rows for it
     * @param parity its parity models of two rows; empty if there are none
     * @param fold images in a row; 1 if it is not folded
     * @param rate of false alarms of residuals and stacks
     */
    FlipStudy(
            String name,
            ModelFile file,
            Inputs inputs,
            Optional<ParityModels> parity,
            int fold,
            double rate,
            long seed) {
        this.name = name;
        this.inputs = inputs;
        this.parity = parity;
        this.fold = fold;
        this.rate = rate;
        this.random = new Random(seed);
        ModelOptions options = ModelOptions.DEFAULT.withEngine("protected");
        this.plain = (ProtectedModel) ModelEngines.load(file, options);
        this.guided =
                (ProtectedModel) ModelEngines.load(file, options.withProtection(Protection.of(Protection.Mode.GUIDED)));
    }

    static void arm() {
        FaultInjection.arm(layer -> CURRENT.get().of(layer));
    }

    String name() {
        return name;
    }

    ProtectedModel plain() {
        return plain;
    }

    ProtectedModel guided() {
        return guided;
    }

    /** Some rows of the inputs, drawn at random. */
    float[] rows(int count) {
        return inputs.rows(IntStream.range(0, count)
                .map(i -> random.nextInt(inputs.count()))
                .toArray());
    }

    /** Flips each bit so many times. */
    List<Bit> run(int flips) {
        List<Bit> bits = new ArrayList<>();
        Optional<StackBounds> stacks = fold > 1 ? Optional.of(bounds()) : Optional.empty();
        for (int bit = 0; bit < Float.SIZE; bit++) {
            Bit counted = new Bit(flips, 0, 0, new int[Method.values().length], new int[Method.values().length]);
            for (int i = 0; i < flips; i++) {
                counted = flip(bit, counted, stacks);
            }
            bits.add(counted);
        }
        return bits;
    }

    private Bit flip(int bit, Bit counted, Optional<StackBounds> stacks) {
        float[] batch = rows(ROWS);
        float[] right = plain.predict(batch);
        int layer = random.nextInt(plain.layers().size());
        LayerShape shape = plain.shape(layer, ROWS);
        long row = random.nextLong(shape.m());
        long column = random.nextLong(shape.columns());
        CURRENT.set(new BitFlip(layer, row, column, bit));
        float[] wrong = plain.predict(batch);
        CURRENT.set(new BitFlip(layer, row, column, bit));
        boolean[] seen = new boolean[Method.values().length];
        try (LayerFindings found = LayerFindings.open()) {
            guided.predict(batch);
            seen[Method.GUIDED.ordinal()] = found.counts().detections() > 0;
        }
        CURRENT.set(LayerProbes.NONE);
        boolean changed = !same(right, wrong);
        seen[Method.RECOMPUTED.ordinal()] = changed;
        seen[Method.RESIDUAL.ordinal()] = changed && parity.isPresent() && residual(batch, right, wrong);
        stacks.ifPresent(bounds -> {
            seen[Method.COPIES.ordinal()] = copies(bounds, batch, layer, bit);
            seen[Method.TURNED.ordinal()] = turned(bounds, batch, right, wrong);
        });
        boolean harmful = isHarmful(right, wrong);
        for (int method = 0; method < seen.length; method++) {
            counted.seen[method] += changed && seen[method] ? 1 : 0;
            counted.seenHarmful[method] += harmful && seen[method] ? 1 : 0;
        }
        return new Bit(
                counted.flips,
                counted.changed + (changed ? 1 : 0),
                counted.harmful + (harmful ? 1 : 0),
                counted.seen,
                counted.seenHarmful);
    }

    private static boolean same(float[] some, float[] others) {
        return IntStream.range(0, some.length)
                .allMatch(i -> Float.floatToRawIntBits(some[i]) == Float.floatToRawIntBits(others[i]));
    }

    /** Whether another answer is the largest one, of an image of the batch. */
    private boolean isHarmful(float[] right, float[] wrong) {
        int size = right.length / ROWS / fold;
        for (int from = 0; from < right.length; from += size) {
            boolean finite = true;
            for (int i = from; i < from + size; i++) {
                finite &= Float.isFinite(wrong[i]);
            }
            if (!finite || Predictions.label(right, from, size) != Predictions.label(wrong, from, size)) {
                return true;
            }
        }
        return false;
    }

    /** Each row of the batch has a sound partner. A group that is a false alarm anyway does not count. */
    private boolean residual(float[] batch, float[] right, float[] wrong) {
        ParityModels models = parity.orElseThrow();
        ResidualBound bound = models.residualBound(rate);
        Residual residual = new Residual(models.plan().code(), models.plan().target());
        float[] partners = rows(ROWS);
        float[] answers = plain.predict(partners);
        int size = inputs.size();
        float[] queries = new float[batch.length];
        for (int row = 0; row < ROWS; row++) {
            models.encoder().encode(List.of(part(batch, row, size), part(partners, row, size)), 0, queries, row * size);
        }
        float[] sums = parityModel().predict(queries);
        double allowed = bound.of(0, 2, largest(batch, partners));
        int outputs = sums.length / ROWS;
        for (int row = 0; row < ROWS; row++) {
            float[] partner = part(answers, row, outputs);
            float[] sum = part(sums, row, outputs);
            double before = residual.of(0, new float[][] {part(right, row, outputs), partner}, sum);
            double after = residual.of(0, new float[][] {part(wrong, row, outputs), partner}, sum);
            if (before <= allowed && after > allowed) {
                return true;
            }
        }
        return false;
    }

    private Model parityModel() {
        if (loadedParity == null) {
            loadedParity = ModelEngines.load(parity.orElseThrow().model(0), ModelOptions.DEFAULT);
        }
        return loadedParity;
    }

    static float[] part(float[] values, int row, int size) {
        return Arrays.copyOfRange(values, row * size, (row + 1) * size);
    }

    private static double largest(float[]... all) {
        double largest = 0;
        for (float[] values : all) {
            for (float value : values) {
                largest = Math.max(largest, Math.abs(value));
            }
        }
        return largest;
    }

    /** The largest distances in sound stacks, but for the rate of false alarms. */
    private record StackBounds(StackCheck check, double copies, double turned) {}

    private StackBounds bounds() {
        StackCheck check = new StackCheck(plain, fold);
        double[] copies = new double[CLEAN_STACKS];
        double[] turned = new double[CLEAN_STACKS];
        for (int i = 0; i < CLEAN_STACKS; i++) {
            float[] stack = rows(1);
            copies[i] = check.copies(part(stack, 0, stack.length / fold));
            turned[i] = check.turned(stack, plain.predict(stack));
        }
        return new StackBounds(
                check,
                ResidualDistribution.of(copies).threshold(rate),
                ResidualDistribution.of(turned).threshold(rate));
    }

    /** A check of one stack of copies, in which the same bit of the same layer is hit. */
    private boolean copies(StackBounds bounds, float[] batch, int layer, int bit) {
        LayerShape shape = plain.shape(layer, 1);
        float[] image = part(batch, 0, batch.length / ROWS / fold);
        CURRENT.set(new BitFlip(layer, random.nextLong(shape.m()), random.nextLong(shape.columns()), bit));
        double distance = bounds.check.copies(image);
        CURRENT.set(LayerProbes.NONE);
        return distance > bounds.copies;
    }

    /** Each stack of the batch is predicted once more, soundly. */
    private boolean turned(StackBounds bounds, float[] batch, float[] right, float[] wrong) {
        for (int row = 0; row < ROWS; row++) {
            float[] stack = part(batch, row, batch.length / ROWS);
            int size = right.length / ROWS;
            if (same(part(right, row, size), part(wrong, row, size))) {
                continue;
            }
            if (bounds.check.turned(stack, part(right, row, size)) <= bounds.turned
                    && bounds.check.turned(stack, part(wrong, row, size)) > bounds.turned) {
                return true;
            }
        }
        return false;
    }
}
