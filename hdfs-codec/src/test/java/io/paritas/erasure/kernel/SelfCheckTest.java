/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.erasure.kernel.Program.Definition;
import io.paritas.erasure.kernel.Program.Operation;
import io.paritas.erasure.kernel.Schedule.Optimisation;
import io.paritas.erasure.kernel.Schedule.TimesX;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kernels whose program makes mistakes, and whose check knows the right one. Machine code is in {@code KernelWriterTest}. */
class SelfCheckTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_121L);
    private static final int LENGTH = 4096 + 7;
    private static final Schedule UNCHANGED = new Schedule(TimesX.CLAMP, Optimisation.NONE, 1, 8, 1024);

    private final Random random = new Random(SEED);

    /** A kind of kernel that computes a faulty program. */
    enum Kind {
        PLAIN {
            @Override
            TiledKernel faulty(Program program, Program faulty) {
                return new PlainKernel(program, faulty, Check.FOLD);
            }
        },
        VECTOR {
            @Override
            TiledKernel faulty(Program program, Program faulty) {
                return new VectorKernel(program, faulty, UNCHANGED, Check.FOLD);
            }

            @Override
            void requireAvailable() {
                String refusal = new VectorKernelProvider().unavailable().orElse("");
                assumeTrue(refusal.isEmpty(), () -> "skipped: " + refusal);
            }
        };

        abstract TiledKernel faulty(Program program, Program faulty);

        int tile(Program program) {
            return faulty(program, program).tile;
        }

        void requireAvailable() {}
    }

    /** Every value of the program is changed in turn, in one bit of one byte somewhere, and each change is noticed. */
    @ParameterizedTest
    @EnumSource
    void noticesEverySingleFlip(Kind kind) {
        kind.requireAvailable();
        Program program = Horner.optimise(RandomCodes.rows(3, 6, random), Horner.Xors.TERNARY);
        for (int value = program.inputs();
                value < program.inputs() + program.definitions().size();
                value++) {
            Program faulty = withFault(program, value);
            Kernel kernel = kind.faulty(program, faulty);
            for (int flip = 0; flip < 16; flip++) {
                byte[][] inputs = RandomCodes.units(program.inputs(), LENGTH, random);
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
    @ParameterizedTest
    @EnumSource
    void noticesEqualFlipsInTwoTiles(Kind kind) {
        kind.requireAvailable();
        Program program = Program.product(RandomCodes.rows(2, 4, random));
        int value = program.output(1);
        Kernel kernel = kind.faulty(program, withFault(program, value));
        byte[][] all = RandomCodes.units(5, 4 * kind.tile(program), random);
        Arrays.fill(all[4], (byte) 0);
        all[4][100] = 4;
        all[4][100 + kind.tile(program)] = 4;
        assertThatThrownBy(() -> kernel.apply(Regions.of(all), Regions.of(new byte[2][all[0].length])))
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
}
