/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import io.paritas.erasure.CodeName;
import java.util.Locale;
import java.util.UUID;

/**
 * What all units of one encode have in common, and what follows from it: how the file is cut up, and where the parts are.
 *
 * <p>Stripe s has the next k · chunk bytes of the file, one cell for each data unit; the last stripe has what is left, in
 * k cells of ⌈left / k⌉ bytes, the last ones filled with zeros. A unit file is a header, and one chunk per stripe: the
 * cell and its CRC32C.
 *
 * @param code the code
 * @param chunk how long the cells are, except in the last stripe
 * @param fileLength how long the encoded file is, in bytes
 * @param id a random number that no other encode has
 */
public record UnitGroup(CodeName code, ChunkSize chunk, long fileLength, UUID id) {
    /** How the names of unit files end. */
    public static final String SUFFIX = ".paritas";

    /** A stripe is in memory as a whole, so a header must not make a reader allocate anything. */
    private static final int MAX_STRIPE_MIB = 256;

    /** Far above any file, far below any overflow. */
    private static final long MAX_FILE_LENGTH = 1L << 60;

    /**
     * @throws IllegalArgumentException if the stripes or the file are too long
     */
    public UnitGroup {
        checkStripe(code, chunk);
        if (fileLength < 0 || fileLength > MAX_FILE_LENGTH) {
            throw new IllegalArgumentException(
                    "A file has between 0 and " + MAX_FILE_LENGTH + " bytes; got " + fileLength);
        }
    }

    /**
     * Checks that the stripes fit into memory.
     *
     * @throws IllegalArgumentException if they do not
     */
    public static void checkStripe(CodeName code, ChunkSize chunk) {
        if ((long) code.n() * chunk.bytes() > (long) MAX_STRIPE_MIB << 20) {
            throw new IllegalArgumentException("A stripe, that is a chunk of each unit, has at most " + MAX_STRIPE_MIB
                    + " MiB; got " + code.n() + " chunks of " + chunk + ". Choose a smaller chunk");
        }
    }

    /** How many stripes. */
    public long stripes() {
        return ceilDiv(fileLength, stripeLength());
    }

    private int stripeLength() {
        return code.k() * chunk.bytes();
    }

    /** How many bytes of the file the stripe has. */
    public int dataLength(long stripe) {
        return (int) Math.min(stripeLength(), fileLength - stripe * stripeLength());
    }

    /** How long the cells of the stripe are. */
    public int cellLength(long stripe) {
        return (int) ceilDiv(dataLength(stripe), code.k());
    }

    /** How many bytes of the file the data unit's cell has; what follows in the cell is zeros. */
    public int dataLength(long stripe, int unit) {
        long before = (long) unit * cellLength(stripe);
        return (int) Math.max(0, Math.min(cellLength(stripe), dataLength(stripe) - before));
    }

    /** Where in the file the data unit's cell starts. */
    public long filePosition(long stripe, int unit) {
        return stripe * stripeLength() + (long) unit * cellLength(stripe);
    }

    /** Where in a unit file the stripe's chunk starts. */
    public long chunkPosition(long stripe) {
        return UnitHeader.LENGTH + stripe * (chunk.bytes() + StripeBuffer.CHECKSUM_LENGTH);
    }

    /** How long each unit file is. */
    public long unitLength() {
        long last = stripes() - 1;
        return last < 0 ? UnitHeader.LENGTH : chunkPosition(last) + cellLength(last) + StripeBuffer.CHECKSUM_LENGTH;
    }

    /** What the unit's file is called, unless somebody renamed it. */
    public static String fileName(int unit) {
        return String.format(Locale.ROOT, "unit-%03d%s", unit, SUFFIX);
    }

    private static long ceilDiv(long dividend, long divisor) {
        return (dividend + divisor - 1) / divisor;
    }

    /** In short, for people. */
    @Override
    public String toString() {
        return code + " of a file of " + fileLength + " bytes, group "
                + id.toString().substring(0, 8);
    }
}
