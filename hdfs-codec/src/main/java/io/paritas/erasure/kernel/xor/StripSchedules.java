/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import io.paritas.erasure.kernel.Kernel;
import io.paritas.erasure.kernel.Regions;
import io.paritas.erasure.kernel.Tunable;
import io.paritas.erasure.kernel.TuningFile;
import io.paritas.erasure.kernel.xor.StripSchedule.OfProduct;
import io.paritas.erasure.kernel.xor.StripSchedule.OfProgram;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** The schedules of a product on the strips of units, as a program and with the matrix as data. */
public final class StripSchedules implements Tunable<StripSchedule> {
    private static final List<Scheduler> SCHEDULERS = List.of(Scheduler.values());
    private static final List<Integer> BLOCKS = powersOfTwo(512, 16 * 1024);
    private static final List<Integer> TILES = powersOfTwo(256, 8 * 1024);
    private static final List<Integer> ROWS = powersOfTwo(1, GemmTiling.MOST_ROWS);
    private static final List<Integer> VECTORS =
            IntStream.rangeClosed(1, GemmTiling.MOST_VECTORS).boxed().toList();
    private static final List<GemmTiling.Packing> PACKINGS = List.of(GemmTiling.Packing.values());

    /** C2 compiles the methods of a kernel long before. */
    private static final long WARM_UP = TimeUnit.MILLISECONDS.toNanos(800);

    private static final int WARM_UP_STRIP = 4 * 1024;

    private final int w;
    private final int inputs;
    private final List<BitSet> rows;

    /**
     * @param w strips of a unit
     * @param inputs number of strips that are read
     * @param rows for each strip that is made those whose xor it is
     */
    public StripSchedules(int w, int inputs, List<BitSet> rows) {
        this.w = w;
        this.inputs = inputs;
        this.rows = rows;
    }

    private static List<Integer> powersOfTwo(int from, int to) {
        return IntStream.iterate(from, value -> value <= to, value -> 2 * value)
                .boxed()
                .toList();
    }

    /** Returns the schedule that was found by tuning, or the standard one. */
    public StripSchedule fastest() {
        Optional<TuningFile> file = StripKernels.hasVectors() ? TuningFile.standard() : Optional.empty();
        return file.flatMap(found -> found.find(key(), StripSchedule::parse)).orElse(StripSchedule.STANDARD);
    }

    @Override
    public TuningFile.Key key() {
        int bits = rows.stream().mapToInt(BitSet::cardinality).sum();
        return TuningFile.Key.here(inputs, rows.size(), TuningFile.Part.STRIPS, bits);
    }

    @Override
    public int inputs() {
        return inputs / w;
    }

    @Override
    public int outputs() {
        return rows.size() / w;
    }

    @Override
    public int length(int most) {
        return most / w * w;
    }

    @Override
    public StripSchedule standard() {
        return StripSchedule.STANDARD;
    }

    @Override
    public StripSchedule neighbour(StripSchedule from, Random random) {
        boolean everything = random.nextInt(4) == 0;
        StripSchedule start =
                everything ? Tunable.any(List.of(StripSchedule.STANDARD, StripSchedule.PRODUCT), random) : from;
        return start instanceof OfProgram program
                ? neighbour(program, everything, random)
                : neighbour(((OfProduct) start).tiling(), everything, random);
    }

    private static StripSchedule neighbour(OfProgram from, boolean everything, Random random) {
        int choice = random.nextInt(2);
        return new OfProgram(
                everything || choice == 0 ? Tunable.any(SCHEDULERS, random) : from.scheduler(),
                everything || choice == 1 ? Tunable.any(BLOCKS, random) : from.block());
    }

    private static StripSchedule neighbour(GemmTiling from, boolean everything, Random random) {
        int choice = random.nextInt(4);
        return new OfProduct(new GemmTiling(
                everything || choice == 0 ? Tunable.any(TILES, random) : from.tile(),
                everything || choice == 1 ? Tunable.any(ROWS, random) : from.rows(),
                everything || choice == 2 ? Tunable.any(VECTORS, random) : from.vectors(),
                everything || choice == 3 ? Tunable.any(PACKINGS, random) : from.packing()));
    }

    @Override
    public int schedules() {
        return SCHEDULERS.size() * BLOCKS.size() + TILES.size() * ROWS.size() * VECTORS.size() * PACKINGS.size();
    }

    @Override
    public Map<String, StripSchedule> without(StripSchedule schedule) {
        Map<String, StripSchedule> without = new LinkedHashMap<>();
        if (schedule instanceof OfProgram program) {
            without.put("scheduler", new OfProgram(StripSchedule.STANDARD.scheduler(), program.block()));
            without.put("block", new OfProgram(program.scheduler(), StripSchedule.STANDARD.block()));
        } else {
            without.put("form", StripSchedule.STANDARD);
        }
        without.values().removeIf(schedule::equals);
        return without;
    }

    @Override
    public Kernel compile(StripSchedule schedule) {
        StripKernel strips = schedule.compile(inputs, rows);
        Kernel kernel = (from, to) -> strips.apply(Strips.of(w, from), Strips.of(w, to));
        byte[][] units = new byte[inputs()][w * WARM_UP_STRIP];
        Random random = new Random(inputs);
        Arrays.stream(units).forEach(random::nextBytes);
        Regions from = Regions.of(units);
        Regions to = Regions.of(new byte[outputs()][w * WARM_UP_STRIP]);
        long end = System.nanoTime() + WARM_UP;
        while (System.nanoTime() < end) {
            kernel.apply(from, to);
        }
        return kernel;
    }
}
