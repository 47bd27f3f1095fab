/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** IDX images, the first {@value #IMAGES} bytes, with their labels, the others. */
public final class IdxFuzz {
    private static final int IMAGES = 64;
    private static final Path FILE = file();
    private static final Path LABELS = file();

    private IdxFuzz() {}

    public static void fuzzerTestOneInput(byte[] bytes) throws IOException {
        int split = Math.min(IMAGES, bytes.length);
        Files.write(FILE, Arrays.copyOf(bytes, split));
        Files.write(LABELS, Arrays.copyOfRange(bytes, split, bytes.length));
        try {
            Idx.read(FILE, LABELS);
        } catch (DataException e) {
            // refused
        }
    }

    private static Path file() {
        try {
            Path file = Files.createTempFile("paritas-fuzz", "");
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
