/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.erasure.kernel.Schedule.Optimisation;
import io.paritas.erasure.kernel.Schedule.TimesX;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The schedules of a program on the vector kernel. */
public final class VectorSchedules implements Tunable<Schedule> {
    private static final Duration COMPILATION = Duration.ofSeconds(5);
    private static final int[] TILES = {1, 2, 3, 4, 6, 8, 16, 32, 64, 128};
    private static final int VECTOR_CHOICES = 3;

    private final Program program;

    /** @param program only read */
    public VectorSchedules(Program program) {
        this.program = program;
    }

    /** Returns the schedule that was found by tuning, or the standard one. */
    Schedule fastest() {
        return TuningFile.standard()
                .flatMap(file -> file.find(key(), Schedule::parse))
                .orElseGet(this::standard);
    }

    @Override
    public TuningFile.Key key() {
        int bits = 0;
        for (int[] row : program.coefficients()) {
            for (int coefficient : row) {
                bits += Integer.bitCount(coefficient);
            }
        }
        return TuningFile.Key.here(inputs(), outputs(), TuningFile.Part.UNITS, bits);
    }

    @Override
    public int inputs() {
        return program.inputs();
    }

    @Override
    public int outputs() {
        return program.outputs();
    }

    @Override
    public int length(int most) {
        return most;
    }

    @Override
    public Schedule standard() {
        return Schedule.standard(VectorKernel.bits());
    }

    @Override
    public Schedule neighbour(Schedule from, Random random) {
        boolean everything = random.nextInt(4) == 0;
        int choice = random.nextInt(5);
        return new Schedule(
                everything || choice == 0 ? Tunable.any(List.of(TimesX.values()), random) : from.timesX(),
                everything || choice == 1 ? Tunable.any(List.of(Optimisation.values()), random) : from.optimisation(),
                everything || choice == 2 ? 1 << random.nextInt(VECTOR_CHOICES) : from.vectors(),
                everything || choice == 3 ? Tunable.any(outputChoices(), random) : from.outputs(),
                everything || choice == 4 ? TILES[random.nextInt(TILES.length)] * Schedule.TILE_STEP : from.tile());
    }

    private List<Integer> outputChoices() {
        List<Integer> choices = new ArrayList<>(List.of(Schedule.MAX_OUTPUTS));
        for (int outputs = 1; outputs < program.outputs(); outputs *= 2) {
            choices.add(outputs);
        }
        return choices;
    }

    @Override
    public int schedules() {
        return TimesX.values().length
                * Optimisation.values().length
                * TILES.length
                * VECTOR_CHOICES
                * outputChoices().size();
    }

    @Override
    public Map<String, Schedule> without(Schedule b) {
        Schedule standard = standard();
        Map<String, Schedule> without = new LinkedHashMap<>();
        without.put("timesX", new Schedule(standard.timesX(), b.optimisation(), b.vectors(), b.outputs(), b.tile()));
        without.put(
                "optimisation", new Schedule(b.timesX(), standard.optimisation(), b.vectors(), b.outputs(), b.tile()));
        without.put("vectors", new Schedule(b.timesX(), b.optimisation(), standard.vectors(), b.outputs(), b.tile()));
        without.put("outputs", new Schedule(b.timesX(), b.optimisation(), b.vectors(), standard.outputs(), b.tile()));
        without.put("tile", new Schedule(b.timesX(), b.optimisation(), b.vectors(), b.outputs(), standard.tile()));
        without.values().removeIf(b::equals);
        return without;
    }

    /** Runs the kernel until C2 has compiled it: until it beats the plain kernel, or gets no faster, or time is over. */
    @Override
    public Kernel compile(Schedule schedule) {
        Kernel kernel = new VectorKernel(program, schedule, Check.FOLD);
        new Trial(program, Trial.Memory.HEAP, new PlainKernel(program, Check.FOLD), kernel, COMPILATION.toNanos())
                .run();
        return kernel;
    }
}
