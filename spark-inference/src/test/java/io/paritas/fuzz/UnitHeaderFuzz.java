/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.fuzz;

import io.paritas.erasure.file.BadHeaderException;
import io.paritas.erasure.file.UnitHeader;
import io.paritas.erasure.file.UnitsException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** The header of a unit file, as it is and with the right checksum. */
public final class UnitHeaderFuzz {
    private static final int COVERED = UnitHeader.LENGTH - Integer.BYTES;

    private UnitHeaderFuzz() {}

    public static void fuzzerTestOneInput(byte[] bytes) {
        read(ByteBuffer.wrap(bytes));
        CRC32C checksum = new CRC32C();
        byte[] covered = Arrays.copyOf(bytes, COVERED);
        checksum.update(covered);
        read(ByteBuffer.allocate(UnitHeader.LENGTH)
                .put(covered)
                .putInt((int) checksum.getValue())
                .flip());
    }

    private static void read(ByteBuffer header) {
        try {
            UnitHeader read = UnitHeader.decode(header.duplicate());
            if (!read.bytes().equals(header)) {
                throw new AssertionError("read " + read + ", which has other bytes");
            }
        } catch (BadHeaderException | UnitsException e) {
            // refused
        }
    }
}
