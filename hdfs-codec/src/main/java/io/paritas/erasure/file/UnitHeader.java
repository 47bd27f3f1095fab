/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import io.paritas.erasure.CodeFamily;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.CodeParameters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The header of a unit file. Numbers are big-endian and unsigned.
 *
 * <pre>
 * offset  bytes  field
 *      0      8  magic: "PARITAS" and a zero
 *      8      2  format version: 1
 *     10      2  header length in bytes, the checksum included: 64
 *     12      1  code family: 1 = rs, 2 = isal, 3 = xor, 4 = paritas, 5 = lrc, 6 = strip
 *     13      1  of lrc, how many of the parity units, the last ones, are those of local groups; of strip, the number of
 *                strips of a unit; otherwise 0
 *     14      2  k, the number of data units
 *     16      2  r, the number of parity units, the local ones included
 *     18      2  this unit's index: 0..k-1 data, k..k+r-1 parity
 *     20      4  chunk size in bytes
 *     24      8  length of the encoded file in bytes
 *     32     16  group id: a random UUID, the same in all units of one encode
 *     48     12  zero
 *     60      4  CRC32C of the bytes before it
 * </pre>
 *
 * <p>Every version starts with the first three fields and ends its header with the checksum, so that a reader can tell a
 * newer format from a damaged header.
 *
 * @param group parameters of the encode
 * @param unit index of this unit
 */
public record UnitHeader(UnitGroup group, int unit) {
    /** The length of a header in bytes. */
    public static final int LENGTH = 64;

    /** The bytes that have the same meaning in every version: enough for {@link #encodedLength(ByteBuffer)}. */
    static final int PREFIX_LENGTH = 12;

    private static final byte[] MAGIC = "PARITAS\0".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 1;
    private static final int RESERVED_LENGTH = 12;
    private static final int CHECKSUM_LENGTH = 4;

    /**
     * @throws IllegalArgumentException if the group has no such unit
     */
    public UnitHeader {
        if (unit < 0 || unit >= group.code().n()) {
            throw new IllegalArgumentException(
                    "the units of " + group.code() + " are 0.." + (group.code().n() - 1) + ", got " + unit);
        }
    }

    /**
     * Returns the length of a header of any version.
     *
     * @param start its first {@value #PREFIX_LENGTH} bytes, or fewer if the file is shorter; not consumed
     */
    static int encodedLength(ByteBuffer start) throws BadHeaderException {
        checkMagic(start.slice());
        int length = start.getChar(start.position() + MAGIC.length + Short.BYTES);
        if (length < PREFIX_LENGTH + CHECKSUM_LENGTH) {
            throw new BadHeaderException("it cannot be " + length + " bytes long");
        }
        return length;
    }

    private static void checkMagic(ByteBuffer start) throws BadHeaderException {
        if (start.remaining() < PREFIX_LENGTH) {
            throw new BadHeaderException("the file is too short");
        }
        byte[] magic = new byte[MAGIC.length];
        start.get(magic);
        if (!Arrays.equals(magic, MAGIC)) {
            throw new BadHeaderException("the file does not start like a unit");
        }
    }

    /** Writes the header, {@value #LENGTH} bytes, at the buffer's position. */
    void encode(ByteBuffer target) {
        int start = target.position();
        target.put(MAGIC).putShort((short) VERSION).putShort((short) LENGTH);
        target.put((byte) group.code().family().id());
        target.put((byte) group.code().detail());
        target.putShort((short) group.code().parameters().k());
        target.putShort((short) group.code().parameters().r());
        target.putShort((short) unit);
        target.putInt(group.chunk().bytes());
        target.putLong(group.fileLength());
        target.putLong(group.id().getMostSignificantBits());
        target.putLong(group.id().getLeastSignificantBits());
        target.put(new byte[RESERVED_LENGTH]);
        target.putInt(checksum(target.slice(start, LENGTH - CHECKSUM_LENGTH)));
    }

    /** Returns the header, {@value #LENGTH} bytes. */
    public ByteBuffer bytes() {
        ByteBuffer header = ByteBuffer.allocate(LENGTH);
        encode(header);
        return header.flip();
    }

    /** Reads the header of a file. See {@link #decode(ByteBuffer)}. */
    public static UnitHeader read(UnitSource file) throws IOException {
        ByteBuffer start = file.read(0, ByteBuffer.allocate(PREFIX_LENGTH));
        return decode(file.read(0, ByteBuffer.allocate(encodedLength(start))));
    }

    /**
     * Reads a header.
     *
     * @param source the whole header, of any version
     * @throws BadHeaderException if it is damaged
     * @throws UnitsException if it is intact, but of a version or a code family that this program does not know
     */
    public static UnitHeader decode(ByteBuffer source) throws BadHeaderException, UnitsException {
        int length = encodedLength(source);
        checkChecksum(source, length);
        checkVersion(source.getChar(source.position() + MAGIC.length));
        if (length != LENGTH) {
            throw new BadHeaderException("a header of version 1 is " + LENGTH + " bytes long, got " + length);
        }
        try {
            return decodeFields(source.slice().position(PREFIX_LENGTH));
        } catch (IllegalArgumentException e) {
            throw new BadHeaderException(e.getMessage());
        }
    }

    private static void checkChecksum(ByteBuffer source, int length) throws BadHeaderException {
        if (source.remaining() != length) {
            throw new BadHeaderException("it ends after " + source.remaining() + " of " + length + " bytes");
        }
        ByteBuffer covered = source.slice().limit(length - CHECKSUM_LENGTH);
        if (checksum(covered) != source.getInt(source.limit() - CHECKSUM_LENGTH)) {
            throw new BadHeaderException("its checksum is wrong");
        }
    }

    private static void checkVersion(int version) throws UnitsException {
        if (version != VERSION) {
            throw new UnitsException("written in format version " + version + ", and this program reads version "
                    + VERSION + "; use a newer Paritas");
        }
    }

    private static UnitHeader decodeFields(ByteBuffer fields) throws UnitsException {
        CodeFamily family = family(Byte.toUnsignedInt(fields.get()));
        int detail = Byte.toUnsignedInt(fields.get());
        CodeName code = code(family, new CodeParameters(fields.getChar(), fields.getChar()), detail);
        int unit = fields.getChar();
        ChunkSize chunk = new ChunkSize(fields.getInt());
        long fileLength = fields.getLong();
        UUID id = new UUID(fields.getLong(), fields.getLong());
        checkZero(fields, RESERVED_LENGTH);
        return new UnitHeader(new UnitGroup(code, chunk, fileLength, id), unit);
    }

    /** The checksum is right, so an unknown family is no damage, but newer than this program. */
    private static CodeFamily family(int id) throws UnitsException {
        return CodeFamily.withId(id)
                .orElseThrow(() -> new UnitsException("written with code family " + id
                        + ", and this program knows the families 1 to " + CodeFamily.values().length
                        + "; use a newer Paritas"));
    }

    private static CodeName code(CodeFamily family, CodeParameters parameters, int detail) throws UnitsException {
        try {
            return new CodeName(family, parameters, detail);
        } catch (IllegalArgumentException e) {
            throw new UnitsException("written with a code that this program does not have (" + e.getMessage()
                    + "); use a newer Paritas");
        }
    }

    private static void checkZero(ByteBuffer fields, int count) {
        for (int i = 0; i < count; i++) {
            if (fields.get() != 0) {
                throw new IllegalArgumentException("its reserved bytes are not zero");
            }
        }
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
