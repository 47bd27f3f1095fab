/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.StripCode.Form;
import io.paritas.erasure.kernel.Regions;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class StripCodeTest {
    /** Two blocks, some vectors, some longs and some bytes. */
    private static final int STRIP = 2048 + 64 + 3 * 8 + 5;

    static Stream<Arguments> smallCodes() {
        return IntStream.rangeClosed(4, 8).boxed().flatMap(w -> Stream.of(
                        new CodeParameters(1, 1),
                        new CodeParameters(2, 2),
                        new CodeParameters(4, 2),
                        new CodeParameters(3, 3),
                        new CodeParameters(5, 1))
                .flatMap(code -> Arrays.stream(Form.values()).map(form -> Arguments.of(w, code, form))));
    }

    @ParameterizedTest
    @MethodSource("smallCodes")
    void repairsEveryPatternOfASmallCode(int w, CodeParameters parameters, Form form) {
        StripCode code = StripCode.of(StripCode.cauchy(parameters, w), form);
        byte[][] units = encoded(code, w * STRIP, Stripes.random(w, parameters, form));
        assertThat(Arrays.copyOfRange(units, parameters.k(), parameters.n()))
                .isDeepEqualTo(product(code.generator(), Arrays.copyOf(units, parameters.k())));
        Stripes.allErasures(parameters).forEach(missing -> repairs(code, units, missing));
    }

    /** The packet layout is the strip layout with the packets in another order, so the same code. */
    @ParameterizedTest
    @CsvSource({"4, 3, 2", "5, 2, 2", "6, 4, 2", "7, 3, 3", "8, 4, 3", "8, 1, 1"})
    void packetsGiveTheParityThatTheirStripsGive(int w, int k, int r) {
        CodeParameters parameters = new CodeParameters(k, r);
        Matrix generator = StripCode.cauchy(parameters, w);
        StripCode packets = StripCode.of(generator, Form.PROGRAM, StripCode.Layout.PACKETS);
        byte[][] units = encoded(packets, w * 64 * 37, Stripes.random("packets", w, parameters));
        byte[][] strips = Arrays.stream(units).map(unit -> toStrips(unit, w)).toArray(byte[][]::new);
        byte[][] parity = new byte[r][units[0].length];
        StripCode.of(generator).encode(Arrays.copyOf(strips, k), parity);
        assertThat(Arrays.copyOfRange(strips, k, k + r)).isDeepEqualTo(parity);
        Stripes.allErasures(parameters).forEach(missing -> repairs(packets, units, missing));

        ByteBuffer[] buffers = Arrays.stream(units).map(unit -> direct(unit, 5)).toArray(ByteBuffer[]::new);
        buffers[0] = direct(new byte[units[0].length], 5);
        packets.reconstruct(buffers, Erasures.of(0));
        assertThat(buffers[0]).isEqualTo(ByteBuffer.wrap(units[0]));
    }

    private static byte[] toStrips(byte[] unit, int w) {
        byte[] strips = new byte[unit.length];
        for (int packet = 0; packet < unit.length / 64; packet++) {
            int to = packet % w * (unit.length / w) + packet / w * 64;
            System.arraycopy(unit, packet * 64, strips, to, 64);
        }
        return strips;
    }

    @ParameterizedTest
    @EnumSource
    void repairsSampledPatternsOfALargeCode(Form form) {
        CodeParameters parameters = new CodeParameters(10, 4);
        StripCode code = StripCode.of(Generators.isalVandermonde(parameters), form);
        Random random = Stripes.random("large", form);
        byte[][] units = encoded(code, 8 * 13, random);
        for (int sample = 0; sample < 10; sample++) {
            repairs(
                    code,
                    units,
                    Erasures.of(random.ints(0, 14).distinct().limit(4).toArray()));
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 7", "1, 8", "2, 63", "1, 64", "1, 65", "3, 1000"})
    void everyLengthOfAStripIsLegal(int times, int length) {
        StripCode code = StripCode.cauchy(new CodeParameters(6, 3));
        byte[][] units = encoded(code, code.w() * times * length, Stripes.random("length", length));
        repairs(code, units, Erasures.of(0, 5, 7));
    }

    private static byte[][] encoded(StripCode code, int length, Random random) {
        CodeParameters parameters = code.parameters();
        byte[][] units = Stripes.units(parameters.n(), length, random); // parity starts dirty
        code.encode(Arrays.copyOf(units, parameters.k()), Arrays.copyOfRange(units, parameters.k(), parameters.n()));
        return units;
    }

    private static void repairs(StripCode code, byte[][] units, Erasures missing) {
        byte[][] damaged = Stripes.damaged(units, missing);
        code.reconstruct(damaged, missing);
        assertThat(Arrays.deepEquals(damaged, units))
                .as("%s, missing %s, seed %d", code, missing, Stripes.SEED)
                .isTrue();
    }

    /** What the layout means, bit by bit: a symbol has one bit from each strip of a unit, the highest from the first. */
    private static byte[][] product(Matrix generator, byte[][] data) {
        int w = generator.field().w();
        int strip = data[0].length / w;
        byte[][] product = new byte[generator.rows()][data[0].length];
        for (int bit = 0; bit < strip * 8; bit++) {
            for (int row = 0; row < product.length; row++) {
                int sum = 0;
                for (int j = 0; j < data.length; j++) {
                    sum ^= generator.field().multiply(generator.get(row, j), symbol(data[j], w, bit));
                }
                for (int b = 0; b < w; b++) {
                    product[row][b * strip + bit / 8] |= (byte) ((sum >> (w - 1 - b) & 1) << bit % 8);
                }
            }
        }
        return product;
    }

    private static int symbol(byte[] unit, int w, int bit) {
        int strip = unit.length / w;
        int symbol = 0;
        for (int b = 0; b < w; b++) {
            symbol = 2 * symbol + ((unit[b * strip + bit / 8] >> bit % 8) & 1);
        }
        return symbol;
    }

    @Test
    void takesBuffersOfEveryKindAndMovesNoPosition() {
        StripCode code = StripCode.cauchy(new CodeParameters(3, 2));
        int length = code.w() * STRIP;
        byte[][] units = encoded(code, length, Stripes.random("buffers"));
        ByteBuffer[] buffers = {
            ByteBuffer.wrap(units[0]).asReadOnlyBuffer(),
            direct(units[1], 3),
            ByteBuffer.wrap(units[2]),
            direct(new byte[length], 1),
            ByteBuffer.allocate(length)
        };
        code.encode(Arrays.copyOf(buffers, 3), Arrays.copyOfRange(buffers, 3, 5));
        assertThat(buffers[1].position()).isEqualTo(3);
        assertThat(buffers[3]).isEqualTo(ByteBuffer.wrap(units[3]));
        assertThat(buffers[4]).isEqualTo(ByteBuffer.wrap(units[4]));

        buffers[1] = direct(new byte[length], 7);
        code.reconstruct(buffers, Erasures.of(1, 4));
        assertThat(buffers[1]).isEqualTo(ByteBuffer.wrap(units[1]));
    }

    private static ByteBuffer direct(byte[] bytes, int offset) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length + offset + 9);
        return buffer.position(offset).put(bytes).flip().position(offset);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 4", "12, 4, 4", "13, 4, 5", "60, 4, 6", "100, 4, 7", "200, 56, 8"})
    void aCauchyCodeHasTheSmallestFieldThatIsLargeEnough(int k, int r, int w) {
        assertThat(StripCode.of(StripCode.cauchy(new CodeParameters(k, r), w), Form.GEMM)
                        .w())
                .isEqualTo(w);
        if (k + r < 100) {
            assertThat(StripCode.cauchy(new CodeParameters(k, r)).w()).isEqualTo(w);
        }
    }

    @ParameterizedTest
    @EnumSource
    void emptyUnitsAndNothingMissingAreFine(Form form) {
        StripCode code = StripCode.of(StripCode.cauchy(new CodeParameters(3, 2), 4), form);
        code.encode(new byte[3][0], new byte[2][0]);
        code.reconstruct(new byte[5][0], Erasures.of(1));
        byte[][] units = encoded(code, 40, Stripes.random("none"));
        repairs(code, units, Erasures.none());
    }

    /** The order of the bits is part of the stored format: multiplication by α moves a strip's bits one strip up. */
    @Test
    void theHighestBitIsInTheFirstStrip() {
        List<BitSet> rows = BitMatrix.rows(Matrix.ofRows(GaloisField.ofWidth(4), new int[] {2}));
        assertThat(rows)
                .containsExactly(
                        BitSet.valueOf(new long[] {0b0010}),
                        BitSet.valueOf(new long[] {0b0100}),
                        BitSet.valueOf(new long[] {0b1001}), // x^4 = x + 1
                        BitSet.valueOf(new long[] {0b0001}));
    }

    @Test
    void whatDoesNotFitIsRefused() {
        StripCode code = StripCode.of(Generators.hdfsCauchy(new CodeParameters(3, 2)));
        assertThatThrownBy(() -> code.verify(Regions.of(new byte[3][16]), Regions.of(new byte[2][8])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("data and parity units must be equally long, got 16 and 8 bytes");
        assertThatThrownBy(() -> code.repairPlan(Erasures.of(1), Erasures.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a repair must reconstruct at least one unit, got none");
        assertThatThrownBy(() -> code.encode(new byte[3][12], new byte[2][12]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a unit is cut into 8 equal strips, so its length must be a multiple of 8, got 12 bytes;"
                        + " pad the units");
        StripCode packets = StripCode.of(code.generator(), Form.PROGRAM, StripCode.Layout.PACKETS);
        assertThatThrownBy(() -> packets.encode(new byte[3][8], new byte[2][8]))
                .hasMessage("a unit is groups of 8 packets of 64 bytes, so its length must be a multiple of 512, got 8"
                        + " bytes; pad the units");
        assertThatThrownBy(() -> StripCode.of(code.generator(), Form.GEMM, StripCode.Layout.PACKETS))
                .hasMessage("the form GEMM computes whole strips: use the layout STRIPS with it");
        assertThatThrownBy(() -> code.encode(new byte[2][8], new byte[2][8]))
                .hasMessage("expected 3 data units, got 2");
        assertThatThrownBy(() -> code.encode(new byte[3][8], new byte[3][8]))
                .hasMessage("expected 2 parity units, got 3");
        assertThatThrownBy(() -> code.encode(new byte[3][8], new byte[2][16]))
                .hasMessage("data and parity units must be equally long, got 8 and 16 bytes");
        assertThatThrownBy(() -> code.encode(new byte[][] {new byte[8], new byte[16], new byte[8]}, new byte[2][8]))
                .hasMessage("the units of a stripe must be equally long, unit 0 has 8 bytes, unit 1 has 16");
        assertThatThrownBy(() -> code.reconstruct(new byte[5][8], Erasures.of(0, 1, 4)))
                .isInstanceOf(UnrecoverableException.class);
        assertThatThrownBy(() -> code.reconstruct(new byte[5][8], Erasures.of(5)))
                .hasMessage("the units of a (3,2) code are 0..4, got 5");
    }

    /** A group of packets that is not full would stay as it was. */
    @ParameterizedTest
    @ValueSource(ints = {4, 64, 256 + 4, 256 + 64})
    void aPlanRefusesPacketsThatAreNotFull(int length) {
        StripCode code =
                StripCode.of(StripCode.cauchy(new CodeParameters(4, 2), 4), Form.PROGRAM, StripCode.Layout.PACKETS);
        RepairPlan plan = code.repairPlan(Erasures.of(1), Erasures.of(1));
        byte[] output = new byte[length];
        Arrays.fill(output, (byte) 9);
        byte[] before = output.clone();

        assertThatThrownBy(() -> plan.apply(Regions.of(new byte[4][length]), Regions.of(new byte[][] {output})))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a unit is groups of 4 packets of 64 bytes, so its length must be a multiple of 256, got "
                        + length + " bytes; pad the units");
        assertThat(output).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void refusesAParityUnitOfNoDataUnit(Form form) {
        Matrix generator = Matrix.ofRows(GaloisField.ofWidth(4), new int[] {1, 2}, new int[] {0, 0});
        assertThatThrownBy(() -> StripCode.of(generator, form))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a parity unit must be made of at least one data unit, got a row of zeros in " + generator);
    }
}
