/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.erasure.CodeName;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class UnitGroupTest {
    private static final UUID ID = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

    @Test
    void anEmptyFileHasNoStripes() {
        UnitGroup group = group("rs-6-3", 16, 0);
        assertThat(group.stripes()).isZero();
        assertThat(group.unitLength()).isEqualTo(64);
    }

    @Test
    void theLastStripeIsAsShortAsItCanBe() {
        UnitGroup group = group("rs-3-2", 16, 2 * 48 + 7);
        assertThat(group.stripes()).isEqualTo(3);
        assertThat(group.cellLength(1)).isEqualTo(16);
        assertThat(group.cellLength(2)).isEqualTo(3);
        assertThat(group.dataLength(2, 0)).isEqualTo(3);
        assertThat(group.dataLength(2, 1)).isEqualTo(3);
        assertThat(group.dataLength(2, 2)).isEqualTo(1);
        assertThat(group.filePosition(2, 2)).isEqualTo(2 * 48 + 6);
        assertThat(group.unitLength()).isEqualTo(64 + 2 * 20 + 7);
    }

    @Test
    void cellsOfACodeOfStripsAreCutEvenly() {
        UnitGroup group = new UnitGroup(CodeName.parseForFiles("strip-3-2-4"), new ChunkSize(16), 2 * 48 + 7, ID);
        assertThat(group.cellLength(1)).isEqualTo(16);
        assertThat(group.cellLength(2)).as("3 bytes, rounded up").isEqualTo(4);
        assertThat(group.dataLength(2, 0)).isEqualTo(4);
        assertThat(group.dataLength(2, 1)).isEqualTo(3);
        assertThat(group.dataLength(2, 2)).isZero();
        assertThat(group.unitLength()).isEqualTo(64 + 2 * 20 + 8);
        assertThat(UnitGroup.usualChunk(CodeName.parseForFiles("strip-6-3-5")).bytes())
                .isEqualTo(262_080);
        assertThat(UnitGroup.usualChunk(CodeName.parse("rs-6-3")).bytes()).isEqualTo(262_144);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new UnitGroup(CodeName.parseForFiles("strip-6-3-5"), new ChunkSize(16), 1, ID))
                .withMessage("a chunk of strip-6-3-5 is cut into 5 equal strips, so it must be a multiple of 5, got"
                        + " 16 bytes; use 20");
    }

    @Test
    void aCellMayHaveNothingButPadding() {
        UnitGroup group = group("rs-6-3", 16, 7);
        assertThat(group.cellLength(0)).isEqualTo(2);
        assertThat(group.dataLength(0, 3)).isEqualTo(1);
        assertThat(group.dataLength(0, 4)).isZero();
        assertThat(group.dataLength(0, 5)).isZero();
    }

    /** Nothing overflows an int: the file has 3 TiB, each of its units 1 TiB. */
    @Test
    void positionsAreLong() {
        UnitGroup group = group("rs-3-2", 1 << 18, 3L << 40);
        assertThat(group.stripes()).isEqualTo(1L << 22);
        assertThat(group.chunkPosition(group.stripes() - 1)).isEqualTo(64 + ((1L << 22) - 1) * ((1 << 18) + 4));
        assertThat(group.filePosition(group.stripes() - 1, 2)).isEqualTo((3L << 40) - (1 << 18));
        assertThat(group.unitLength()).isEqualTo(64 + (1L << 40) + (4L << 22));
    }

    @Test
    void theLargestFileOverflowsNothing() {
        assertThat(group("rs-1-1", 1, 1L << 60).unitLength()).isEqualTo(64 + 5 * (1L << 60));
    }

    @Test
    void aStripeFitsIntoMemory() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> group("rs-20-4", 16 << 20, 1))
                .withMessage("a stripe, one chunk of each unit, must have at most 256 MiB, got 24 chunks of 16777216"
                        + " bytes; choose a smaller chunk");
    }

    @Test
    void unitsAreNamedByTheirIndex() {
        assertThat(UnitGroup.fileName(7)).isEqualTo("unit-007.paritas");
    }

    @Test
    void isShownShortly() {
        assertThat(group("rs-6-3", 16, 1234)).hasToString("rs-6-3 of a file of 1234 bytes, group 00112233");
    }

    private static UnitGroup group(String code, int chunk, long length) {
        return new UnitGroup(CodeName.parse(code), new ChunkSize(chunk), length, ID);
    }
}
