/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paritas.erasure.CodeName;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class UnitHeaderTest {
    private static final UnitHeader HEADER = new UnitHeader(
            new UnitGroup(
                    CodeName.parse("rs-6-3"),
                    new ChunkSize(256 << 10),
                    5_000_000_000L,
                    UUID.fromString("00112233-4455-6677-8899-aabbccddeeff")),
            7);

    /** The format itself: this literal never changes. */
    private static final String GOLDEN = "5041524954415300" // magic
            + "0001" // version
            + "0040" // header length
            + "01" // rs
            + "00"
            + "0006" // k
            + "0003" // r
            + "0007" // unit
            + "00040000" // chunk
            + "000000012a05f200" // file length
            + "00112233445566778899aabbccddeeff" // group
            + "000000000000000000000000"
            + "5ae4adb7";

    @Test
    void theBytesAreThoseOfTheFormat() {
        assertThat(HexFormat.of().formatHex(encoded().array())).isEqualTo(GOLDEN);
    }

    @Test
    void theFormatsBytesAreRead() throws Exception {
        assertThat(UnitHeader.decode(ByteBuffer.wrap(HexFormat.of().parseHex(GOLDEN))))
                .isEqualTo(HEADER);
    }

    /** The format itself: this literal never changes. */
    @Test
    void theBytesOfACodeOfStripsAreThoseOfTheFormat() throws Exception {
        UnitGroup group = new UnitGroup(
                CodeName.parseForFiles("strip-2-1-2"),
                new ChunkSize(4),
                7,
                HEADER.group().id());
        UnitHeader header = new UnitHeader(group, 2);
        String golden = "5041524954415300" + "0001" + "0040"
                + "06" // strip
                + "02" // strips
                + "0002" + "0001" + "0002"
                + "00000004" + "0000000000000007"
                + "00112233445566778899aabbccddeeff"
                + "000000000000000000000000"
                + "50e6c09c";
        assertThat(HexFormat.of().formatHex(header.bytes().array())).isEqualTo(golden);
        assertThat(UnitHeader.decode(ByteBuffer.wrap(HexFormat.of().parseHex(golden))))
                .isEqualTo(header);
    }

    @Test
    void theLargestCodeSurvives() throws Exception {
        UnitGroup group =
                new UnitGroup(CodeName.parse("rs-254-2"), new ChunkSize(1 << 20), 1L << 60, UUID.randomUUID());
        UnitHeader header = new UnitHeader(group, 255);
        ByteBuffer bytes = ByteBuffer.allocate(UnitHeader.LENGTH);
        header.encode(bytes);
        assertThat(UnitHeader.decode(bytes.flip())).isEqualTo(header);
    }

    @Test
    void everyFlippedByteIsNoticed() {
        for (int at = 0; at < UnitHeader.LENGTH; at++) {
            ByteBuffer bytes = encoded();
            bytes.put(at, (byte) (bytes.get(at) ^ 1));
            assertThatExceptionOfType(BadHeaderException.class)
                    .as("byte %d", at)
                    .isThrownBy(() -> UnitHeader.decode(bytes));
        }
    }

    @Test
    void everyTruncationIsNoticed() {
        for (int length = 0; length < UnitHeader.LENGTH; length++) {
            ByteBuffer bytes = encoded().limit(length);
            assertThatExceptionOfType(BadHeaderException.class)
                    .as("%d bytes", length)
                    .isThrownBy(() -> UnitHeader.decode(bytes));
        }
    }

    @Test
    void anIntactHeaderOfANewerVersionIsRefused() {
        ByteBuffer bytes = sealed(encoded().putShort(8, (short) 2));
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> UnitHeader.decode(bytes))
                .withMessage("written in format version 2, and this program reads version 1; use a newer Paritas");
    }

    @Test
    void aLongerHeaderOfANewerVersionIsRefused() {
        ByteBuffer longer = ByteBuffer.allocate(80).put(encoded()).clear();
        ByteBuffer bytes = sealed(longer.putShort(8, (short) 3).putShort(10, (short) 80));
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> UnitHeader.decode(bytes))
                .withMessageStartingWith("written in format version 3");
    }

    @Test
    void impossibleFieldsAreDamage() {
        assertDamaged(sealed(encoded().put(50, (byte) 1)), "its reserved bytes are not zero");
        assertDamaged(sealed(encoded().putShort(18, (short) 9)), "the units of rs-6-3 are 0..8, got 9");
        assertDamaged(sealed(encoded().putInt(20, -1)), "a chunk must have 1 byte to 16m");
        assertDamaged(sealed(encoded().putLong(24, -1)), "a file must have 0 to 1152921504606846976 bytes, got -1");
        assertDamaged(sealed(encoded().putShort(14, (short) 0)), "a code over bytes needs k >= 1");
    }

    @Test
    void anIntactHeaderOfAnUnknownCodeIsRefused() {
        assertNewer(
                sealed(encoded().put(12, (byte) 200)),
                "written with code family 200, and this program knows the families 1 to 6; use a newer Paritas");
        assertNewer(
                sealed(encoded().put(12, (byte) 4).putShort(14, (short) 5)),
                "written with a code that this program does not have (Paritas has a generator of its own for");
        assertNewer(
                sealed(encoded().put(13, (byte) 2)),
                "written with a code that this program does not have (only lrc has local groups, got 2); use a newer"
                        + " Paritas");
        assertNewer(
                sealed(encoded().put(12, (byte) 5).put(13, (byte) 3)),
                "written with a code that this program does not have (a local reconstruction code needs");
    }

    private static void assertNewer(ByteBuffer bytes, String message) {
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> UnitHeader.decode(bytes))
                .withMessageStartingWith(message);
    }

    @Test
    void theLocalGroupsAreInTheHeader() throws Exception {
        UnitGroup group = new UnitGroup(
                CodeName.parse("lrc-12-2-2"),
                new ChunkSize(4096),
                1000,
                HEADER.group().id());
        UnitHeader header = new UnitHeader(group, 15);
        ByteBuffer bytes = ByteBuffer.allocate(UnitHeader.LENGTH);
        header.encode(bytes);
        assertThat(HexFormat.of().formatHex(bytes.array()))
                .startsWith("5041524954415300" + "00010040" + "0502000c0004000f");
        assertThat(UnitHeader.decode(bytes.flip())).isEqualTo(header);
    }

    @Test
    void aGroupHasOnlyItsUnits() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> new UnitHeader(HEADER.group(), 9))
                .withMessage("the units of rs-6-3 are 0..8, got 9");
    }

    private static void assertDamaged(ByteBuffer bytes, String message) {
        assertThatExceptionOfType(BadHeaderException.class)
                .isThrownBy(() -> UnitHeader.decode(bytes))
                .withMessageStartingWith(message);
    }

    private static ByteBuffer encoded() {
        ByteBuffer bytes = ByteBuffer.allocate(UnitHeader.LENGTH);
        HEADER.encode(bytes);
        return bytes.flip();
    }

    /** Makes the checksum fit again. */
    private static ByteBuffer sealed(ByteBuffer bytes) {
        int end = bytes.limit() - Integer.BYTES;
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(0, end));
        return bytes.putInt(end, (int) crc.getValue());
    }
}
