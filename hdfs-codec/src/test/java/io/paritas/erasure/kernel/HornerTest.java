/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.Generators;
import io.paritas.erasure.kernel.Horner.Xors;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HornerTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_121L);

    /** A program is linear, so its matrix is all that it computes. */
    @Test
    void computesTheSameMatrix() {
        Random random = new Random(SEED);
        for (int i = 0; i < 60; i++) {
            int outputs = 1 + random.nextInt(5);
            int inputs = 1 + random.nextInt(14);
            int[][] rows = IntStream.range(0, outputs)
                    .mapToObj(row -> random.ints(inputs, 0, 256).toArray())
                    .toArray(int[][]::new);
            for (Xors xors : Xors.values()) {
                assertThat(Horner.optimise(rows, xors).coefficients())
                        .as("seed %d, matrix %d", SEED, i)
                        .isDeepEqualTo(rows);
            }
        }
    }

    @Test
    void computesZeroAndCopies() {
        int[][] rows = {{0, 0}, {1, 0}, {1, 0}, {0, 1}, {1, 1}};
        Program program = Horner.optimise(rows, Xors.BINARY);
        assertThat(program.coefficients()).isDeepEqualTo(rows);
        assertThat(program.xors()).isEqualTo(1);
    }

    /** What the optimiser saves for the generator of HDFS: fewer xors by sharing, fewer "times x" by reusing outputs. */
    @ParameterizedTest
    @CsvSource({"3,2, 22,14, 16,13", "6,3, 81,21, 43,19", "8,4, 144,28, 58,26", "10,4, 180,28, 87,26"})
    void isCheaperThanThePlainForm(int k, int r, int plainXors, int plainTimesX, int xors, int timesX) {
        int[][] rows = Generators.hdfsCauchy(new CodeParameters(k, r)).toRows();
        Program plain = Program.product(rows);
        Program optimised = Horner.optimise(rows, Xors.BINARY);
        assertThat(new int[] {plain.xors(), plain.timesX()}).containsExactly(plainXors, plainTimesX);
        assertThat(new int[] {optimised.xors(), optimised.timesX()}).containsExactly(xors, timesX);
        assertThat(Horner.cost(optimised, Xors.BINARY)).isLessThan(Horner.cost(plain, Xors.BINARY));
    }

    /** Decoding goes through the syndromes where that is cheaper: with a searched generator it halves the "times x". */
    @ParameterizedTest
    @CsvSource({"6,3, 21,9", "8,4, 28,19", "10,4, 28,19"})
    void decodesThroughSyndromes(int k, int r, int plainTimesX, int timesX) {
        ErasureCode code = ErasureCode.of(Generators.paritas(new CodeParameters(k, r)), new PlainKernelProvider());
        Erasures lost = Erasures.of(IntStream.range(0, r).toArray());
        Program plain = code.repairPlan(lost).program();
        Program optimised = Horner.optimise(plain.coefficients(), Xors.TERNARY);
        assertThat(plain.timesX()).isEqualTo(plainTimesX);
        assertThat(optimised.timesX()).isEqualTo(timesX);
        assertThat(optimised.coefficients()).isDeepEqualTo(plain.coefficients());
    }
}
