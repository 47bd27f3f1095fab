/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import io.paritas.cli.progress.Waiting;
import io.paritas.inference.ModelFile;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import io.paritas.inference.protect.BitFlip;
import io.paritas.inference.protect.LayerFindings;
import io.paritas.inference.protect.LayerProbes;
import io.paritas.inference.protect.LayerShape;
import io.paritas.inference.protect.ProtectedModel;
import io.paritas.inference.protect.gemm.Scheme;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A study of flips of single bits in a classifier that computes one case at a time (thesis, 2.2.2): how often its prediction changes,
 * and how often each scheme finds the flip. Only cases count that it classifies correctly without faults.
 */
record FaultStudy(String description, ModelFile model, Cases cases) {
    static final int BITS = 32;
    static final List<Scheme> SCHEMES = List.of(
            Scheme.GLOBAL, Scheme.THREAD, Scheme.TWO_SIDED, Scheme.WEIGHTED, Scheme.REPLICATION, Scheme.DUPLICATION);

    /** Inputs with their classes. */
    record Cases(Inputs inputs, int[] labels) {
        float[] row(int index) {
            float[] row = new float[inputs.size()];
            inputs.copy(index, row, 0);
            return row;
        }
    }

    /** The counts of one scheme and one bit. */
    static final class Tally {
        private int found;
        private int above;
        private int aboveFound;
        private int harmfulMissed;
    }

    /** A model under one scheme, with an exchangeable fault. */
    private record Victim(ProtectedModel model, AtomicReference<LayerProbes> disturbance) implements AutoCloseable {
        static Victim of(ModelFile file, Scheme scheme) {
            AtomicReference<LayerProbes> current = new AtomicReference<>(LayerProbes.NONE);
            return new Victim(
                    ProtectedModel.disturbed(
                            file, scheme, layer -> current.get().of(layer)),
                    current);
        }

        int predict(float[] row, LayerProbes by) {
            disturbance.set(by);
            float[] output = model.predict(row);
            return Predictions.label(output, 0, output.length);
        }

        @Override
        public void close() {
            model.close();
        }
    }

    /** All counts. */
    record Result(
            int flips,
            double accuracy,
            int[] mispredicted,
            Map<Scheme, Tally[]> tallies,
            Map<Scheme, Tally> checksums,
            long cleanChecks,
            Map<Scheme, Integer> falseAlarms) {

        /** Returns the share of a bit's flips that changed the prediction. */
        double mispredictions(int bit) {
            return mispredicted[bit] / (double) flips;
        }

        double detected(Scheme scheme, int bit) {
            return tallies.get(scheme)[bit].found / (double) flips;
        }

        String table() {
            StringBuilder text = new StringBuilder();
            text.append(String.format(Locale.ROOT, "%4s %13s", "bit", "mispredicted"));
            SCHEMES.forEach(scheme -> text.append(String.format(Locale.ROOT, " %12s", scheme)));
            text.append("  found\n");
            for (int bit = BITS - 1; bit >= 0; bit--) {
                text.append(String.format(Locale.ROOT, "%4d %12.2f%%", bit, 100 * mispredictions(bit)));
                for (Scheme scheme : SCHEMES) {
                    text.append(String.format(Locale.ROOT, " %11.2f%%", 100 * detected(scheme, bit)));
                }
                text.append('\n');
            }
            double mean = 0;
            for (int bit = 0; bit < BITS; bit++) {
                mean += mispredictions(bit) / BITS;
            }
            text.append(String.format(
                    Locale.ROOT,
                    "%nAccuracy without faults %.2f %%; of its right predictions, a flip changes %.2f %% on average.%n",
                    100 * accuracy,
                    100 * mean));
            for (Scheme scheme : SCHEMES) {
                int above = 0;
                int aboveFound = 0;
                int missed = 0;
                for (Tally tally : tallies.get(scheme)) {
                    above += tally.above;
                    aboveFound += tally.aboveFound;
                    missed += tally.harmfulMissed;
                }
                text.append(String.format(
                        Locale.ROOT,
                        "%-12s found %d of %d flips above twice its bound, and %d of %d in its checksums; %d flips that"
                                + " change a prediction were not found; %d false alarms in %d clean predictions%n",
                        scheme,
                        aboveFound,
                        above,
                        checksums.get(scheme).aboveFound,
                        checksums.get(scheme).above,
                        missed,
                        falseAlarms.get(scheme),
                        cleanChecks));
            }
            return text.toString();
        }

        String csv() {
            StringBuilder lines = new StringBuilder("bit,mispredicted");
            SCHEMES.forEach(scheme -> lines.append(',').append(scheme));
            lines.append('\n');
            for (int bit = 0; bit < BITS; bit++) {
                lines.append(String.format(Locale.ROOT, "%d,%.6f", bit, mispredictions(bit)));
                for (Scheme scheme : SCHEMES) {
                    lines.append(String.format(Locale.ROOT, ",%.6f", detected(scheme, bit)));
                }
                lines.append('\n');
            }
            return lines.toString();
        }
    }

    /** Flips each bit this many times, each time in another value of another case. */
    Result run(int flips, long seed, Waiting waiting) {
        List<Victim> victims = new ArrayList<>();
        try (Victim bare = Victim.of(model, Scheme.NONE)) {
            if (bare.model().layers().isEmpty()) {
                throw new IllegalArgumentException("a model must have a convolution or a linear layer, in whose values"
                        + " bits are flipped, got one without: choose another --model");
            }
            SCHEMES.forEach(scheme -> victims.add(Victim.of(model, scheme)));
            List<Integer> right = right(bare);
            if (right.isEmpty()) {
                throw new IllegalArgumentException(
                        "a model must be right in some cases, which flips may change, got none of "
                                + cases.labels().length + ": train it, or choose the --data that it was trained for");
            }
            int[] mispredicted = new int[BITS];
            Map<Scheme, Tally[]> tallies = new EnumMap<>(Scheme.class);
            Map<Scheme, Tally> checksums = new EnumMap<>(Scheme.class);
            SCHEMES.forEach(scheme -> {
                tallies.put(scheme, tallies());
                checksums.put(scheme, new Tally());
            });
            Random random = new Random(seed);
            waiting.begin("flipping bits", (long) BITS * flips);
            for (int bit = 0; bit < BITS; bit++) {
                for (int i = 0; i < flips; i++) {
                    int index = right.get(random.nextInt(right.size()));
                    float[] row = cases.row(index);
                    int layer = random.nextInt(bare.model().layers().size());
                    LayerShape shape = bare.model().shape(layer, 1);
                    long at = random.nextLong(shape.m());
                    long column = random.nextLong(shape.columns());
                    boolean harmful = bare.predict(row, new BitFlip(layer, at, column, bit)) != cases.labels()[index];
                    mispredicted[bit] += harmful ? 1 : 0;
                    for (int s = 0; s < SCHEMES.size(); s++) {
                        BitFlip flip = new BitFlip(layer, at, column, bit);
                        count(victims.get(s), row, flip, harmful, tallies.get(SCHEMES.get(s))[bit]);
                        BitFlip ofChecksum = new BitFlip(BitFlip.Target.CHECKSUM, layer, at, column, bit);
                        count(victims.get(s), row, ofChecksum, false, checksums.get(SCHEMES.get(s)));
                    }
                    waiting.advance();
                }
            }
            waiting.begin("looking for false alarms");
            return new Result(
                    flips,
                    right.size() / (double) cases.labels().length,
                    mispredicted,
                    tallies,
                    checksums,
                    right.size(),
                    falseAlarms(victims, right));
        } finally {
            victims.forEach(Victim::close);
        }
    }

    private static Tally[] tallies() {
        Tally[] tallies = new Tally[BITS];
        for (int bit = 0; bit < BITS; bit++) {
            tallies[bit] = new Tally();
        }
        return tallies;
    }

    private List<Integer> right(Victim bare) {
        List<Integer> right = new ArrayList<>();
        for (int i = 0; i < cases.labels().length; i++) {
            if (bare.predict(cases.row(i), LayerProbes.NONE) == cases.labels()[i]) {
                right.add(i);
            }
        }
        return right;
    }

    private static void count(Victim victim, float[] row, BitFlip flip, boolean harmful, Tally tally) {
        boolean found;
        try (LayerFindings findings = LayerFindings.open()) {
            victim.predict(row, flip);
            found = findings.counts().detections() > 0;
        }
        tally.found += found ? 1 : 0;
        tally.above += flip.isAboveBound() ? 1 : 0;
        tally.aboveFound += flip.isAboveBound() && found ? 1 : 0;
        tally.harmfulMissed += harmful && !found ? 1 : 0;
    }

    private Map<Scheme, Integer> falseAlarms(List<Victim> victims, List<Integer> right) {
        Map<Scheme, Integer> alarms = new EnumMap<>(Scheme.class);
        for (int s = 0; s < SCHEMES.size(); s++) {
            try (LayerFindings findings = LayerFindings.open()) {
                for (int index : right) {
                    victims.get(s).predict(cases.row(index), LayerProbes.NONE);
                }
                alarms.put(SCHEMES.get(s), (int) findings.counts().detections());
            }
        }
        return alarms;
    }
}
