/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import io.paritas.erasure.CodeName;
import java.util.Locale;
import java.util.UUID;

/**
 * The parameters that all units of one encode share, and the layout that follows from them.
 *
 * <p>Stripe s has the next k · chunk bytes of the file, one cell for each data unit. The last stripe has the rest in k cells
 * of ⌈rest / k⌉ bytes, padded with zeros; of a code of strips, that is rounded up to a multiple of their number. A unit file is a header, and one chunk per stripe: the
 * cell and its CRC32C.
 *
 * @param code code of the stripes
 * @param chunk length of the cells, except in the last stripe
 * @param fileLength length of the encoded file in bytes
 * @param id random and unique to the encode
 */
public record UnitGroup(CodeName code, ChunkSize chunk, long fileLength, UUID id) {
    /** The suffix of unit files' names. */
    public static final String SUFFIX = ".paritas";

    /** Bounds the memory of a reader, which holds a whole stripe: a header must not make it allocate more. */
    private static final int MAX_STRIPE_MIB = 256;

    private static final int USUAL_CHUNK = 256 << 10;

    /** Far above any file, far below any overflow. */
    private static final long MAX_FILE_LENGTH = 1L << 60;

    /**
     * @throws IllegalArgumentException if the stripes or the file are too long
     */
    public UnitGroup {
        checkStripe(code, chunk);
        if (fileLength < 0 || fileLength > MAX_FILE_LENGTH) {
            throw new IllegalArgumentException(
                    "a file must have 0 to " + MAX_FILE_LENGTH + " bytes, got " + fileLength);
        }
    }

    /**
     * Checks that the stripes fit into memory, and a chunk the code.
     *
     * @throws IllegalArgumentException if they do not
     */
    public static void checkStripe(CodeName code, ChunkSize chunk) {
        if (chunk.bytes() % code.strips() != 0) {
            throw new IllegalArgumentException("a chunk of " + code + " is cut into " + code.strips()
                    + " equal strips, so it must be a multiple of " + code.strips() + ", got " + chunk + "; use "
                    + (chunk.bytes() + code.strips() - chunk.bytes() % code.strips()));
        }
        if ((long) code.n() * chunk.bytes() > (long) MAX_STRIPE_MIB << 20) {
            throw new IllegalArgumentException("a stripe, one chunk of each unit, must have at most " + MAX_STRIPE_MIB
                    + " MiB, got " + code.n() + " chunks of " + chunk + "; choose a smaller chunk");
        }
    }

    /** The usual chunk of a code: 256 KiB, or of a code of strips the most below that with strips of whole 64 bytes. */
    public static ChunkSize usualChunk(CodeName code) {
        int granularity = code.strips() == 1 ? 1 : 64 * code.strips();
        return new ChunkSize(USUAL_CHUNK / granularity * granularity);
    }

    /** The number of stripes. */
    public long stripes() {
        return ceilDiv(fileLength, stripeLength());
    }

    private int stripeLength() {
        return code.k() * chunk.bytes();
    }

    /** The bytes of the file in the stripe. */
    public int dataLength(long stripe) {
        return (int) Math.min(stripeLength(), fileLength - stripe * stripeLength());
    }

    /** The length of the stripe's cells. */
    public int cellLength(long stripe) {
        long even = ceilDiv(dataLength(stripe), code.k());
        return (int) ceilDiv(even, code.strips()) * code.strips();
    }

    /** The bytes of the file in the data unit's cell; zeros follow them. */
    public int dataLength(long stripe, int unit) {
        long before = (long) unit * cellLength(stripe);
        return (int) Math.max(0, Math.min(cellLength(stripe), dataLength(stripe) - before));
    }

    /** The position of the data unit's cell in the file. */
    public long filePosition(long stripe, int unit) {
        return stripe * stripeLength() + (long) unit * cellLength(stripe);
    }

    /** The position of the stripe's chunk in a unit file. */
    public long chunkPosition(long stripe) {
        return UnitHeader.LENGTH + stripe * (chunk.bytes() + StripeBuffer.CHECKSUM_LENGTH);
    }

    /** The length of each unit file. */
    public long unitLength() {
        long last = stripes() - 1;
        return last < 0 ? UnitHeader.LENGTH : chunkPosition(last) + cellLength(last) + StripeBuffer.CHECKSUM_LENGTH;
    }

    /** The default name of the unit's file. */
    public static String fileName(int unit) {
        return String.format(Locale.ROOT, "unit-%03d%s", unit, SUFFIX);
    }

    private static long ceilDiv(long dividend, long divisor) {
        return (dividend + divisor - 1) / divisor;
    }

    /** A short description for messages. */
    @Override
    public String toString() {
        return code + " of a file of " + fileLength + " bytes, group "
                + id.toString().substring(0, 8);
    }
}
