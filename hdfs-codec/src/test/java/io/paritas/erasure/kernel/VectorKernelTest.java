/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.erasure.kernel.Schedule.Optimisation;
import io.paritas.erasure.kernel.Schedule.TimesX;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
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
        int[][] rows = RandomCodes.rows(4, 19, random);
        byte[][] inputs = RandomCodes.units(19, LENGTH, random);
        Program program = Program.product(rows);
        byte[][] expected = new byte[4][LENGTH];
        new PlainKernel(program, Check.FOLD).apply(Regions.of(inputs), Regions.of(expected));
        for (Check check : Check.values()) {
            byte[][] outputs = new byte[4][LENGTH];
            new VectorKernel(program, schedule, check).apply(Regions.of(inputs), Regions.of(outputs));
            assertThat(Arrays.deepEquals(outputs, expected))
                    .as("check %s, seed %d", check, SEED)
                    .isTrue();
        }
    }
}
