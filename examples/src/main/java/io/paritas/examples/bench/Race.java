/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Coders at one operation, side by side. They take turns of a few milliseconds, so that a machine whose speed changes
 * (shared processors, clock rates) changes it for all of them: the ratio of two turns next to each other is what counts.
 * After each turn the result is compared with that of the first coder, or with the data, so that nothing is measured that
 * does not code.
 */
final class Race {
    private static final long TURN = Duration.ofMillis(10).toNanos();
    private static final int MIN_ROUNDS = 3;

    private final Stripe stripe;
    private final Operation operation;
    private final List<Coder.OnStripe> coders;
    private final byte[][] written;
    private final byte[][] expected;

    Race(Stripe stripe, Operation operation, List<Coder> coders) throws IOException {
        this.stripe = stripe;
        this.operation = operation;
        this.coders =
                coders.stream().map(coder -> coder.onStripe().apply(stripe)).toList();
        this.coders.get(0).encode();
        written = stripe.written(operation);
        expected = stripe.expected(operation);
    }

    /** The speed of one coder: median GB/s (10⁹) of data, and the median ratio to the first coder in the same round. */
    record Result(double gigabytesPerSecond, double ratio) {}

    /** Warms up for as long as it measures, which is long enough for C2 from half a second on. */
    List<Result> run(Duration duration) throws IOException {
        rounds(duration);
        double[][] speeds = rounds(duration);
        return IntStream.range(0, coders.size())
                .mapToObj(coder -> new Result(
                        median(speeds, round -> round[coder]), median(speeds, round -> round[coder] / round[0])))
                .toList();
    }

    private double[][] rounds(Duration duration) throws IOException {
        long end = System.nanoTime() + duration.toNanos() * coders.size();
        List<double[]> rounds = new ArrayList<>();
        while (System.nanoTime() < end || rounds.size() < MIN_ROUNDS) {
            double[] round = new double[coders.size()];
            for (int coder = 0; coder < round.length; coder++) {
                round[coder] = turn(coders.get(coder));
            }
            rounds.add(round);
        }
        return rounds.toArray(double[][]::new);
    }

    /** Bytes of data per nanosecond, which is GB/s. */
    private double turn(Coder.OnStripe coder) throws IOException {
        Arrays.stream(written).forEach(unit -> Arrays.fill(unit, (byte) 0)); // nothing left from another coder's turn
        long start = System.nanoTime();
        long bytes = 0;
        long elapsed;
        do {
            coder.run(operation, stripe.code().r());
            bytes += stripe.dataBytes();
            elapsed = System.nanoTime() - start;
        } while (elapsed < TURN);
        if (!Arrays.deepEquals(written, expected)) {
            throw new IllegalStateException(
                    "A coder computes wrong bytes at: " + operation.title + ", " + stripe.code());
        }
        return (double) bytes / elapsed;
    }

    private static double median(double[][] rounds, ToDoubleFunction<double[]> value) {
        double[] sorted = Arrays.stream(rounds).mapToDouble(value).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
