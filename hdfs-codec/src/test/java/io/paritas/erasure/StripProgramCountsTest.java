/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.kernel.xor.Compression;
import io.paritas.erasure.kernel.xor.Deadline;
import io.paritas.erasure.kernel.xor.ScheduledProgram;
import io.paritas.erasure.kernel.xor.Scheduler;
import io.paritas.erasure.kernel.xor.XorProgram;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The optimiser leaves the xors, memory accesses, variables and cache blocks that Uezato's own program (SC'21) leaves for
 * the same matrices: to the last one, because all its choices are the same.
 */
class StripProgramCountsTest {
    @ParameterizedTest(name = "RS({0},{1})")
    @CsvSource({
        " 8, 2, 198, 128, 180,  26,  88, 17,  81, 17,  80",
        " 9, 2, 237, 144, 202,  29,  99, 17,  89, 17,  88",
        "10, 2, 275, 162, 222,  30, 108, 17,  97, 18,  97",
        " 8, 3, 377, 214, 364,  75, 134, 38, 102, 45, 109",
        " 9, 3, 448, 243, 417,  87, 158, 43, 115, 56, 126",
        "10, 3, 519, 279, 471,  96, 174, 51, 131, 68, 148",
        " 8, 4, 571, 301, 543, 121, 180, 66, 130, 76, 140",
        " 9, 4, 661, 347, 611, 132, 203, 75, 147, 81, 153",
        "10, 4, 755, 385, 677, 146, 224, 76, 155, 91, 170"
    })
    void encodersHaveThePublishedCounts(
            int k,
            int r,
            int xors,
            int compressed,
            int accesses,
            int variables,
            int capacity,
            int depthFirstVariables,
            int depthFirstCapacity,
            int greedyVariables,
            int greedyCapacity) {
        assertThat(counts(Generators.isalVandermonde(new CodeParameters(k, r))))
                .containsExactly(
                        xors,
                        compressed,
                        accesses,
                        variables,
                        capacity,
                        depthFirstVariables,
                        depthFirstCapacity,
                        greedyVariables,
                        greedyCapacity);
    }

    @ParameterizedTest(name = "RS({0},{1})")
    @CsvSource({
        " 8, 2,  526, 156, 286,  65, 124,  36, 100,  40, 102",
        " 9, 2,  578, 176, 322,  73, 140,  42, 113,  42, 114",
        "10, 2,  654, 198, 352,  77, 154,  48, 128,  48, 128",
        " 8, 3,  698, 303, 561, 129, 189,  77, 141,  73, 135",
        " 9, 3,  810, 353, 641, 144, 213,  90, 162,  93, 165",
        "10, 3,  880, 371, 661, 145, 223,  84, 164,  83, 163",
        " 8, 4, 1086, 407, 747, 170, 232,  85, 149, 110, 174",
        " 9, 4, 1236, 465, 829, 182, 251, 104, 176, 115, 187",
        "10, 4, 1368, 511, 923, 206, 283, 121, 201, 132, 212"
    })
    void decodersOfUnitsTwoFourFiveAndSixHaveThePublishedCounts(
            int k,
            int r,
            int xors,
            int compressed,
            int accesses,
            int variables,
            int capacity,
            int depthFirstVariables,
            int depthFirstCapacity,
            int greedyVariables,
            int greedyCapacity) {
        assertThat(counts(decoder(k, r)))
                .containsExactly(
                        xors,
                        compressed,
                        accesses,
                        variables,
                        capacity,
                        depthFirstVariables,
                        depthFirstCapacity,
                        greedyVariables,
                        greedyCapacity);
    }

    private static Matrix decoder(int k, int r) {
        Matrix generator = Generators.isalVandermonde(new CodeParameters(k, r));
        Erasures erased = Erasures.of(IntStream.of(2, 4, 5, 6).limit(r).toArray());
        return new Survivors(generator, erased).product(erased).orElseThrow().matrix();
    }

    private static int[] counts(Matrix matrix) {
        List<BitSet> rows = BitMatrix.rows(matrix);
        int inputs = matrix.columns() * 8;
        XorProgram compressed = XorProgram.of(Compression.xorRePair(inputs, rows, Deadline.never()));
        XorProgram fused = compressed.fused();
        assertThat(compressed.memoryAccesses()).isEqualTo(3 * compressed.xors());
        assertThat(fused.xors()).isEqualTo(compressed.xors());
        ScheduledProgram unscheduled = Scheduler.NONE.schedule(fused);
        ScheduledProgram depthFirst = Scheduler.DEPTH_FIRST.schedule(fused);
        ScheduledProgram greedy = Scheduler.GREEDY.schedule(fused);
        assertThat(List.of(depthFirst, greedy))
                .allSatisfy(schedule -> assertThat(schedule.xors()).isEqualTo(fused.xors()))
                .allSatisfy(schedule -> assertThat(schedule.memoryAccesses()).isEqualTo(fused.memoryAccesses()));
        return new int[] {
            XorProgram.ofRows(inputs, rows).xors(),
            compressed.xors(),
            fused.memoryAccesses(),
            unscheduled.pebbles(),
            unscheduled.cacheCapacity(),
            depthFirst.pebbles(),
            depthFirst.cacheCapacity(),
            greedy.pebbles(),
            greedy.cacheCapacity()
        };
    }

    @Test
    void rePairLeavesOneXorMoreThanXorRePairOfTheEncoderOfTenAndFour() {
        List<BitSet> rows = BitMatrix.rows(Generators.isalVandermonde(new CodeParameters(10, 4)));
        assertThat(XorProgram.of(Compression.rePair(80, rows, Deadline.never())).xors())
                .isEqualTo(386);
        assertThat(XorProgram.ofRows(80, rows).binary().memoryAccesses()).isEqualTo(2265);
    }
}
