/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.Stripes;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class XorProgramTest {
    /** {x0 x1 x2, x1 x2 x3, x1 x2, x3, nothing}. */
    private static final List<BitSet> ROWS = Stream.of(0b0111L, 0b1110L, 0b0110L, 0b1000L, 0b0L)
            .map(bits -> BitSet.valueOf(new long[] {bits}))
            .toList();

    @Test
    void everyFormOfAProgramComputesTheSame() {
        Random random = Stripes.random("forms");
        for (int round = 0; round < 200; round++) {
            int inputs = 1 + random.nextInt(70);
            List<BitSet> rows = RandomRows.of(1 + random.nextInt(25), inputs, random);
            XorProgram plain = XorProgram.ofRows(inputs, rows);
            byte[][] strips = Stripes.units(inputs, 9, random);
            byte[][] expected = product(rows, strips);
            XorProgram rePair = XorProgram.of(Compression.rePair(inputs, rows, Deadline.never()));
            XorProgram xorRePair = XorProgram.of(Compression.xorRePair(inputs, rows, Deadline.never()));
            XorProgram hurried = XorProgram.optimised(inputs, rows, Deadline.after(Duration.ZERO));
            assertThat(List.of(plain, plain.binary(), plain.fused(), rePair, rePair.fused(), xorRePair, hurried))
                    .as("round %d, seed %d", round, Stripes.SEED)
                    .allSatisfy(program -> assertThat(program.interpret(strips)).isDeepEqualTo(expected));
            assertThat(xorRePair.xors()).isLessThanOrEqualTo(plain.xors());
            assertThat(xorRePair.fused().xors()).isEqualTo(xorRePair.xors());
            assertThat(xorRePair.fused().memoryAccesses()).isLessThanOrEqualTo(xorRePair.memoryAccesses());
        }
    }

    private static byte[][] product(List<BitSet> rows, byte[][] strips) {
        byte[][] product = new byte[rows.size()][strips[0].length];
        for (int row = 0; row < product.length; row++) {
            for (int x = 0; x < strips[0].length; x++) {
                int place = x;
                product[row][x] = (byte) rows.get(row).stream()
                        .map(input -> strips[input][place])
                        .reduce(0, (a, b) -> a ^ b);
            }
        }
        return product;
    }

    @Test
    void compressionSharesPairs() {
        Compression compression = Compression.xorRePair(4, ROWS, Deadline.never());
        assertThat(compression.definitions()).isDeepEqualTo(new int[][] {{1, 2}, {3, 4}, {0, 4}});
        assertThat(compression.goals()).containsExactly(6, 5, 4, 3, XorProgram.ZERO);
        assertThat(XorProgram.of(compression)).hasToString("""
            v0 = x1 + x2
            v1 = x3 + v0
            v2 = x0 + v0
            y0 = v2
            y1 = v1
            y2 = v0
            y3 = x3
            y4 = 0\
            """);
    }

    @Test
    void aCompressionWithoutTimeIsTheProductItself() {
        Compression compression = Compression.xorRePair(4, ROWS, Deadline.after(Duration.ZERO));
        assertThat(XorProgram.of(compression).xors())
                .isEqualTo(XorProgram.ofRows(4, ROWS).xors())
                .isEqualTo(5);
    }

    @Test
    void pebblesAreUsedAgain() {
        XorProgram sum = XorProgram.ofRows(5, List.of(BitSet.valueOf(new long[] {0b11111})))
                .binary();
        assertThat(Scheduler.NONE.schedule(sum).pebbles()).isEqualTo(4);
        ScheduledProgram schedule = Scheduler.IN_ORDER.schedule(sum);
        assertThat(schedule.pebbles()).isEqualTo(1);
        assertThat(schedule).hasToString("""
            p0 = x0 + x1
            p0 = p0 + x2
            p0 = p0 + x3
            p0 = p0 + x4
            y0 = p0\
            """);
        assertThat(schedule.cacheCapacity()).isEqualTo(1);
    }

    @Test
    void goalsThatAreNoneAreRefused() {
        BitSet beyond = new BitSet();
        beyond.set(4);
        assertThatThrownBy(() -> Compression.rePair(4, List.of(beyond), Deadline.never()))
                .hasMessage("a goal must be a set of the constants 0..3, got {4}");
        assertThatThrownBy(() -> XorProgram.ofRows(4, List.of(beyond)))
                .hasMessage("a row must be a set of the inputs 0..3, got {4}");
        assertThat(Arrays.asList(XorProgram.ofRows(4, List.of()).interpret(new byte[4][3])))
                .isEmpty();
    }
}
