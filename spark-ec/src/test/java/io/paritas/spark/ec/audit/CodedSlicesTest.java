/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CodedSlicesTest {
    private static final String CODE = "rs-3-2";
    private final List<CodedSlice> taken = new ArrayList<>();

    @AfterEach
    void noneAreTakenAnyMore() {
        CodedSlices.uninstall();
    }

    private static byte[][] random(int units, int length) {
        Random random = new Random(length);
        byte[][] bytes = new byte[units][length];
        for (byte[] unit : bytes) {
            random.nextBytes(unit);
        }
        return bytes;
    }

    private void encode(CodedSlices slices, int length) {
        byte[][] data = random(3, length);
        byte[][] parity = new byte[2][length];
        CodeName.parse(CODE).erasureCode().encode(data, parity);
        slices.encoded(CODE, data, parity);
    }

    @Test
    void slicesAreCodedLikeTheirUnits() {
        CodedSlices slices = new CodedSlices(1, 1, taken::add);
        for (int length : new int[] {1, 10, 1024, 1025, 100_000}) {
            encode(slices, length);
        }
        encode(slices, 0);

        assertThat(taken).hasSize(5).allSatisfy(slice -> {
            assertThat(slice.sources()).containsExactly(0, 1, 2);
            assertThat(slice.made()).containsExactly(3, 4);
            assertThat(CodedSlice.make(CODE, slice.sources(), slice.made(), slice.read()))
                    .isDeepEqualTo(slice.result());
        });
        assertThat(taken).extracting(slice -> slice.read()[0].length).containsExactly(1, 10, 1024, 1024, 1024);
    }

    @Test
    void theFirstIsPickedAndAShareOfTheOthers() {
        CodedSlices slices = new CodedSlices(0.1, 1, taken::add);
        encode(slices, 10);
        assertThat(taken).hasSize(1);
        for (int i = 0; i < 2_000; i++) {
            encode(slices, 10);
        }
        assertThat(taken.size()).isBetween(150, 250);
        taken.clear();
        encode(new CodedSlices(0, 1, taken::add), 10);
        assertThat(taken).isEmpty();
    }

    /** A unit may be a part of a buffer, and shorter than those that are made. */
    @Test
    void unitsBeginAtTheirPositionAndEndInZeros() {
        ByteBuffer part = ByteBuffer.wrap(new byte[] {9, 1, 2, 9}).position(1).limit(3);

        new CodedSlices(1, 1, taken::add)
                .offer(
                        "xor-1",
                        4,
                        new int[] {0},
                        new int[] {1},
                        unit -> unit == 0 ? part : ByteBuffer.wrap(new byte[] {1, 2, 0, 0}));

        assertThat(taken.get(0).read()[0]).containsExactly(1, 2, 0, 0);
        assertThat(taken.get(0).result()[0]).containsExactly(1, 2, 0, 0);
        assertThat(part.position()).isEqualTo(1);
    }
}
