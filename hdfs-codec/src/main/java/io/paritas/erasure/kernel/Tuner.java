/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Searches the fastest schedule of a computation on this machine and JDK by measuring. From the standard schedule on, it changes
 * one choice or, now and then, all of them, and keeps what is faster. The winner goes to the file that
 * {@code io.paritas.kernel.tuning} names, where new kernels of that shape find it.
 *
 * <p>The candidate and the best schedule so far alternate every few milliseconds, because a machine's speed changes with its
 * load and temperature; only a lead of several percent counts. The self-check is on, as later.
 *
 * @param <S> a schedule
 */
public final class Tuner<S> {
    /** The bytes of a unit that is measured. */
    private static final int LENGTH = 128 * 1024;

    private static final double LEAD = 1.03;
    private static final long TURN = 4_000_000;
    private static final int TURNS = 15;

    /**
     * A measured schedule.
     *
     * @param schedule its fields, as the file has them
     * @param speed bytes of input per nanosecond, which is GB/s
     */
    public record Result(String schedule, double speed) {}

    /**
     * The result of tuning.
     *
     * @param standard the schedule that runs without tuning, and {@code best}, the fastest one
     * @param tried number of schedules measured
     * @param choices the speed without each choice in which the best schedule differs from the standard one
     * @param file the file that the best schedule was written to
     */
    public record Report(Result standard, Result best, int tried, Map<String, Double> choices, Path file) {}

    private final Tunable<S> tunable;
    private final long end;
    private final Random random;
    private final Regions inputs;
    private final Regions outputs;
    private final Set<S> tried = new HashSet<>();

    private Tuner(Tunable<S> tunable, Duration budget, long seed) {
        this.tunable = tunable;
        this.end = System.nanoTime() + budget.toNanos();
        this.random = new Random(seed);
        int length = tunable.length(LENGTH);
        byte[][] units = new byte[tunable.inputs()][length];
        Arrays.stream(units).forEach(random::nextBytes);
        inputs = Regions.of(units);
        outputs = Regions.of(new byte[tunable.outputs()][length]);
    }

    /** Returns why this JVM has nothing to tune, in one sentence; empty if it has. */
    public static Optional<String> unavailable() {
        return new VectorKernelProvider()
                .unavailable()
                .or(() -> KernelChoice.current().provider().name().equals("plain")
                        ? Optional.of("this JVM is to run the kernel plain: leave io.paritas.kernel out")
                        : Optional.empty());
    }

    /**
     * Tunes a computation, and writes the best schedule to the file.
     *
     * @param budget time to search; the standard schedule is always measured
     * @param seed seed of the search
     * @param progress receives each schedule that is better than all before
     * @throws IOException if the file cannot be written, where possible before anything is measured
     * @throws IllegalStateException if this JVM has no vector kernel
     */
    public static <S> Report tune(Tunable<S> tunable, Duration budget, long seed, Consumer<Result> progress)
            throws IOException {
        unavailable().ifPresent(reason -> {
            throw new IllegalStateException("only vector kernels have schedules to tune, but " + reason);
        });
        return new Tuner<>(tunable, budget, seed).run(new TuningFile(KernelSettings.TUNING.get()), progress);
    }

    /** A schedule with its kernel, compiled and warm. */
    private record Candidate<S>(S schedule, Kernel kernel) {}

    private Report run(TuningFile file, Consumer<Result> progress) throws IOException {
        file.prepare();
        S standard = tunable.standard();
        Candidate<S> first = compile(standard);
        Candidate<S> best = first;
        tried.add(standard);
        progress.accept(new Result(standard.toString(), speed(first)));
        while (System.nanoTime() < end) {
            S next = tunable.neighbour(best.schedule, random);
            if (tried.add(next)) {
                Candidate<S> candidate = compile(next);
                double[] speeds = race(best, candidate);
                if (speeds[1] > LEAD * speeds[0]) {
                    best = candidate;
                    progress.accept(new Result(next.toString(), speeds[1]));
                }
            } else if (tried.size() >= tunable.schedules()) {
                break;
            }
        }
        double[] last = race(first, best);
        double speed = last[1];
        if (best.schedule.equals(first.schedule) || last[1] < last[0]) { // no lead, or one that did not last
            best = first;
            speed = last[0];
        }
        file.put(tunable.key(), best.schedule.toString());
        return new Report(
                new Result(standard.toString(), last[0]),
                new Result(best.schedule.toString(), speed),
                tried.size(),
                choices(best),
                file.path());
    }

    /** Measures each choice: the speed of the best schedule with that choice put back to the standard's. */
    private Map<String, Double> choices(Candidate<S> best) {
        Map<String, Double> speeds = new LinkedHashMap<>();
        tunable.without(best.schedule)
                .forEach((choice, schedule) -> speeds.put(choice, race(best, compile(schedule))[1]));
        return speeds;
    }

    private Candidate<S> compile(S schedule) {
        Candidate<S> candidate = new Candidate<>(schedule, tunable.compile(schedule));
        turn(candidate);
        return candidate;
    }

    private double speed(Candidate<S> candidate) {
        return race(candidate, candidate)[0];
    }

    /** The best turn of each. */
    private double[] race(Candidate<S> one, Candidate<S> other) {
        double[] best = new double[2];
        for (int i = 0; i < TURNS; i++) {
            best[0] = Math.max(best[0], turn(one));
            best[1] = Math.max(best[1], turn(other));
        }
        return best;
    }

    /** Bytes of input per nanosecond. */
    private double turn(Candidate<S> candidate) {
        long start = System.nanoTime();
        long runs = 0;
        long elapsed;
        do {
            candidate.kernel.apply(inputs, outputs);
            runs++;
            elapsed = System.nanoTime() - start;
        } while (elapsed < TURN);
        return (double) runs * inputs.count() * inputs.length() / elapsed;
    }
}
