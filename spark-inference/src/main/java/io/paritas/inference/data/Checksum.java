/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.zip.CRC32C;

/** Says whether data are the same as at another time: a training goes on with those that it was started with. */
public final class Checksum {
    private Checksum() {}

    /**
     * Of rows and labels in their order, as eight hexadecimal digits (CRC-32C).
     *
     * @param labels none, if there are none
     */
    public static String of(Iterable<byte[]> rows, int... labels) {
        CRC32C checksum = new CRC32C();
        rows.forEach(checksum::update);
        ByteBuffer bytes = ByteBuffer.allocate(labels.length * Integer.BYTES);
        bytes.asIntBuffer().put(labels);
        checksum.update(bytes);
        return String.format(Locale.ROOT, "%08x", checksum.getValue());
    }
}
