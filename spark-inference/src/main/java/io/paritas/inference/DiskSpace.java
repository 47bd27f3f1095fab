/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import java.io.IOException;
import java.nio.file.Path;

/** The space that is left on disks. */
public final class DiskSpace {
    private DiskSpace() {}

    /** @throws IOException if a folder has not so many bytes left */
    public static void require(Path folder, long bytes) throws IOException {
        long left = folder.toFile().getUsableSpace();
        if (left < bytes) {
            throw new IOException(
                    "it needs " + toMebibytes(bytes) + " MiB in " + folder + ", which has " + (left >> 20));
        }
    }

    private static long toMebibytes(long bytes) {
        return (bytes >> 20) + (bytes % (1 << 20) == 0 ? 0 : 1);
    }
}
