/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.erasure.kernel.Program.Definition;
import io.paritas.erasure.kernel.Program.Operation;
import io.paritas.erasure.kernel.Schedule.Optimisation;
import io.paritas.erasure.kernel.Schedule.TimesX;
import io.paritas.erasure.kernel.VectorKernel.Check;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class VectorKernelTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_121L);
    private static final int LENGTH = 4096 + 7;

    private final Random random = new Random(SEED);

    @BeforeEach
    void isAvailable() {
        String refusal = new VectorKernelProvider().unavailable().orElse("");
        assumeTrue(refusal.isEmpty(), () -> "skipped: " + refusal);
    }

    static Stream<Schedule> schedules() {
        return Arrays.stream(TimesX.values()).flatMap(timesX -> Arrays.stream(Optimisation.values())
                .flatMap(optimisation -> IntStream.of(1, 2, 4).boxed().flatMap(vectors -> IntStream.of(1, 2, 8)
                        .mapToObj(outputs -> new Schedule(timesX, optimisation, vectors, outputs, 1024)))));
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void computesTheSameUnderEverySchedule(Schedule schedule) {
        int[][] rows = rows(4, 19);
        byte[][] inputs = units(19, LENGTH);
        Program program = Program.product(rows);
        byte[][] expected = new byte[4][LENGTH];
        new PlainKernel(program).apply(Regions.of(inputs), Regions.of(expected));
        for (Check check : Check.values()) {
            byte[][] outputs = new byte[4][LENGTH];
            new VectorKernel(program, schedule, check).apply(Regions.of(inputs), Regions.of(outputs));
            assertThat(Arrays.deepEquals(outputs, expected))
                    .as("check %s, seed %d", check, SEED)
                    .isTrue();
        }
    }

    /** Every value of the program is changed in turn, in one bit of one byte somewhere, and each change is noticed. */
    @Test
    void noticesEverySingleFlip() {
        Program program = Horner.optimise(rows(3, 6), Horner.Xors.TERNARY);
        Schedule unchanged = new Schedule(TimesX.CLAMP, Optimisation.NONE, 1, 8, 1024);
        for (int value = program.inputs();
                value < program.inputs() + program.definitions().size();
                value++) {
            Program faulty = withFault(program, value);
            VectorKernel kernel = new VectorKernel(program, faulty, unchanged, Check.FOLD);
            for (int flip = 0; flip < 16; flip++) {
                byte[][] inputs = units(program.inputs(), LENGTH);
                byte[][] outputs = new byte[program.outputs()][LENGTH];
                byte[] fault = new byte[LENGTH];
                byte[][] all = Arrays.copyOf(inputs, inputs.length + 1);
                all[inputs.length] = fault;
                assertThatCode(() -> kernel.apply(Regions.of(all), Regions.of(outputs)))
                        .doesNotThrowAnyException();

                int place = random.nextInt(LENGTH);
                fault[place] = (byte) (1 << random.nextInt(8));
                assertThatThrownBy(() -> kernel.apply(Regions.of(all), Regions.of(outputs)))
                        .as("value %d, byte %d, bits %d, seed %d", value, place, fault[place], SEED)
                        .isInstanceOf(CodingFaultException.class)
                        .hasMessageStartingWith("coding 6 units to 3 went wrong in this process");
            }
        }
    }

    /** Equal flips at the same place of two vectors cancel in a plain sum; in different tiles the turned sum shows them. */
    @Test
    void noticesEqualFlipsInTwoTiles() {
        Program program = Program.product(rows(2, 4));
        int value = program.output(1);
        VectorKernel kernel = new VectorKernel(
                program,
                withFault(program, value),
                new Schedule(TimesX.CLAMP, Optimisation.NONE, 1, 8, 1024),
                Check.FOLD);
        byte[][] all = units(5, LENGTH);
        Arrays.fill(all[4], (byte) 0);
        all[4][100] = 4;
        all[4][100 + 1024] = 4;
        assertThatThrownBy(() -> kernel.apply(Regions.of(all), Regions.of(new byte[2][LENGTH])))
                .isInstanceOf(CodingFaultException.class);
    }

    /** The program with one more input, which is added to a value behind everything that makes that value. */
    private static Program withFault(Program program, int faulty) {
        int inputs = program.inputs();
        Program.Builder builder = new Program.Builder(inputs + 1);
        List<Integer> numbers =
                new ArrayList<>(IntStream.range(0, inputs).boxed().toList());
        for (Definition definition : program.definitions()) {
            List<Integer> operands =
                    definition.operands().stream().map(numbers::get).toList();
            int value = definition.operation() == Operation.TIMES_X
                    ? builder.timesX(operands.get(0))
                    : builder.xor(operands);
            numbers.add(numbers.size() == faulty ? builder.xor(List.of(value, inputs)) : value);
        }
        IntStream.range(0, program.outputs()).forEach(output -> builder.output(numbers.get(program.output(output))));
        return builder.build();
    }

    private byte[][] units(int count, int length) {
        byte[][] units = new byte[count][length];
        Arrays.stream(units).forEach(random::nextBytes);
        return units;
    }

    private int[][] rows(int outputs, int inputs) {
        return IntStream.range(0, outputs)
                .mapToObj(i -> random.ints(inputs, 1, 256).toArray())
                .toArray(int[][]::new);
    }
}
