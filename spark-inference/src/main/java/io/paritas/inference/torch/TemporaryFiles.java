/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Temporary files for LibTorch, which reads and writes only files. Only their owner can read them. */
final class TemporaryFiles {

    private TemporaryFiles() {}

    /** Work with a file, which may not exist yet. */
    interface Work<T> {
        T with(Path file) throws IOException;
    }

    /** Runs work on a file in a new folder, and deletes both. LibTorch writes the file's name into its archives. */
    static <T> T named(String name, Work<T> work) {
        try {
            Path folder = Files.createTempDirectory("paritas-torch");
            try {
                return work.with(folder.resolve(name));
            } finally {
                Files.deleteIfExists(folder.resolve(name));
                Files.delete(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "LibTorch needs a temporary file in the folder of java.io.tmpdir: " + e.getMessage(), e);
        }
    }
}
