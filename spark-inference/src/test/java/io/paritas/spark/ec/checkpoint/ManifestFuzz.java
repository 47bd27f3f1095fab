/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.CRC32C;

/** The manifest of a checkpoint, with the right checksum: whatever is accepted can be written and read again. */
public final class ManifestFuzz {
    private ManifestFuzz() {}

    public static void fuzzerTestOneInput(byte[] bytes) throws IOException {
        ManifestCopy copy;
        try {
            copy = ManifestCopy.decode(sealed(bytes));
        } catch (IOException e) {
            return;
        }
        if (!ManifestCopy.decode(copy.encoded()).equals(copy)) {
            throw new AssertionError(copy + " is another one when it was written and read");
        }
    }

    private static byte[] sealed(byte[] body) {
        CRC32C checksum = new CRC32C();
        checksum.update(body);
        byte[] seal = String.format(Locale.ROOT, ",\"crc32c\":\"%08x\"}", checksum.getValue())
                .getBytes(StandardCharsets.UTF_8);
        byte[] all = Arrays.copyOf(body, body.length + seal.length);
        System.arraycopy(seal, 0, all, body.length, seal.length);
        return all;
    }
}
