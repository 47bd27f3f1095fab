/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.Schedule.Optimisation;
import io.paritas.erasure.kernel.Schedule.TimesX;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Searches the fastest schedule of a program on this machine and JDK by measuring. From the standard schedule on, it changes
 * one choice or, now and then, all of them, and keeps what is faster. The winner goes to the file that
 * {@code io.paritas.kernel.tuning} names, where new vector kernels of that shape find it.
 *
 * <p>The candidate and the best schedule so far alternate every few milliseconds, because a machine's speed changes with its
 * load and temperature; only a lead of several percent counts. The self-check is on, as later.
 */
public final class Tuner {
    /** The bytes of a unit that is measured. */
    private static final int LENGTH = 128 * 1024;

    private static final double LEAD = 1.03;
    private static final long TURN = 4_000_000;
    private static final int TURNS = 15;
    private static final Duration COMPILATION = Duration.ofSeconds(5);
    private static final int[] TILES = {1, 2, 3, 4, 6, 8, 16, 32, 64, 128};

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

    private final Program program;
    private final long end;
    private final Random random;
    private final Regions inputs;
    private final Regions outputs;
    private final Set<Schedule> tried = new HashSet<>();

    private Tuner(Program program, Duration budget, long seed) {
        this.program = program;
        this.end = System.nanoTime() + budget.toNanos();
        this.random = new Random(seed);
        byte[][] units = new byte[program.inputs()][LENGTH];
        Arrays.stream(units).forEach(random::nextBytes);
        inputs = Regions.of(units);
        outputs = Regions.of(new byte[program.outputs()][LENGTH]);
    }

    /** Returns why this JVM has nothing to tune, in one sentence; empty if it has. */
    public static Optional<String> unavailable() {
        return new VectorKernelProvider().unavailable();
    }

    /**
     * Tunes the vector kernel of a program, and writes the best schedule to the file.
     *
     * @param budget time to search; the standard schedule is always measured
     * @param seed seed of the search
     * @param progress receives each schedule that is better than all before
     * @throws IOException if the file cannot be written
     * @throws IllegalStateException if this JVM has no vector kernel
     */
    public static Report tune(Program program, Duration budget, long seed, Consumer<Result> progress)
            throws IOException {
        unavailable().ifPresent(reason -> {
            throw new IllegalStateException("only vector kernels have schedules to tune, but " + reason);
        });
        return new Tuner(program, budget, seed).run(TuningFile.standard(), progress);
    }

    /** A schedule with its kernel, compiled and warm. */
    private record Candidate(Schedule schedule, Kernel kernel) {}

    private Report run(TuningFile file, Consumer<Result> progress) throws IOException {
        Schedule standard = Schedule.standard(VectorKernel.bits());
        Candidate first = compile(standard);
        Candidate best = first;
        tried.add(standard);
        progress.accept(new Result(standard.toString(), speed(first)));
        while (System.nanoTime() < end) {
            Schedule next = neighbour(best.schedule);
            if (tried.add(next)) {
                Candidate candidate = compile(next);
                double[] speeds = race(best, candidate);
                if (speeds[1] > LEAD * speeds[0]) {
                    best = candidate;
                    progress.accept(new Result(next.toString(), speeds[1]));
                }
            } else if (tried.size() >= allSchedules()) {
                break;
            }
        }
        double[] last = race(first, best);
        double speed = last[1];
        if (best.schedule.equals(first.schedule) || last[1] < last[0]) { // no lead, or one that did not last
            best = first;
            speed = last[0];
        }
        file.put(TuningFile.Key.of(machine(), program), best.schedule);
        return new Report(
                new Result(standard.toString(), last[0]),
                new Result(best.schedule.toString(), speed),
                tried.size(),
                choices(standard, best),
                file.path());
    }

    private int allSchedules() {
        return TimesX.values().length * Optimisation.values().length * TILES.length * 3 * outputChoices().length;
    }

    /** Measures each choice: the speed of the best schedule with that choice put back to the standard's. */
    private Map<String, Double> choices(Schedule standard, Candidate best) {
        Schedule b = best.schedule;
        Map<String, Schedule> without = new LinkedHashMap<>();
        without.put("timesX", new Schedule(standard.timesX(), b.optimisation(), b.vectors(), b.outputs(), b.tile()));
        without.put(
                "optimisation", new Schedule(b.timesX(), standard.optimisation(), b.vectors(), b.outputs(), b.tile()));
        without.put("vectors", new Schedule(b.timesX(), b.optimisation(), standard.vectors(), b.outputs(), b.tile()));
        without.put("outputs", new Schedule(b.timesX(), b.optimisation(), b.vectors(), standard.outputs(), b.tile()));
        without.put("tile", new Schedule(b.timesX(), b.optimisation(), b.vectors(), b.outputs(), standard.tile()));
        Map<String, Double> speeds = new LinkedHashMap<>();
        without.forEach((choice, schedule) -> {
            if (!schedule.equals(b)) {
                speeds.put(choice, race(best, compile(schedule))[1]);
            }
        });
        return speeds;
    }

    private Schedule neighbour(Schedule from) {
        boolean everything = random.nextInt(4) == 0;
        int choice = random.nextInt(5);
        return new Schedule(
                everything || choice == 0 ? any(TimesX.values()) : from.timesX(),
                everything || choice == 1 ? any(Optimisation.values()) : from.optimisation(),
                everything || choice == 2 ? 1 << random.nextInt(3) : from.vectors(),
                everything || choice == 3 ? any(outputChoices()) : from.outputs(),
                everything || choice == 4 ? TILES[random.nextInt(TILES.length)] * Schedule.TILE_STEP : from.tile());
    }

    private Integer[] outputChoices() {
        List<Integer> choices = new ArrayList<>(List.of(Schedule.MAX_OUTPUTS));
        for (int outputs = 1; outputs < program.outputs(); outputs *= 2) {
            choices.add(outputs);
        }
        return choices.toArray(Integer[]::new);
    }

    private <T> T any(T[] values) {
        return values[random.nextInt(values.length)];
    }

    /** Compiles a kernel and runs it until C2 has compiled it: until it beats the plain kernel, or time is over. */
    private Candidate compile(Schedule schedule) {
        Kernel kernel = new VectorKernel(program, schedule, Check.FOLD);
        new Trial(program, Trial.Memory.HEAP, new PlainKernel(program, Check.FOLD), kernel, COMPILATION.toNanos())
                .run();
        Candidate candidate = new Candidate(schedule, kernel);
        turn(candidate);
        return candidate;
    }

    private double speed(Candidate candidate) {
        return race(candidate, candidate)[0];
    }

    /** The best turn of each. */
    private double[] race(Candidate one, Candidate other) {
        double[] best = new double[2];
        for (int i = 0; i < TURNS; i++) {
            best[0] = Math.max(best[0], turn(one));
            best[1] = Math.max(best[1], turn(other));
        }
        return best;
    }

    /** Bytes of input per nanosecond. */
    private double turn(Candidate candidate) {
        long start = System.nanoTime();
        long runs = 0;
        long elapsed;
        do {
            candidate.kernel.apply(inputs, outputs);
            runs++;
            elapsed = System.nanoTime() - start;
        } while (elapsed < TURN);
        return (double) runs * program.inputs() * LENGTH / elapsed;
    }

    /** This CPU, its vectors and this JDK: a schedule holds for them only. */
    static String machine() {
        return Processor.MODEL.replace('|', ' ') + ", " + VectorKernel.bits() + "-bit vectors, JDK "
                + Runtime.version();
    }
}
