/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** LibTorch reads and writes files only: temporary ones, which only their owner can read, and which are gone at once. */
final class TemporaryFiles {

    private TemporaryFiles() {}

    /** What is done with a file that may not exist yet. */
    interface Work<T> {
        T with(Path file) throws IOException;
    }

    /** Works with a file of that name, which LibTorch writes into its archives, in a folder of its own. */
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
                    "LibTorch needs a temporary file, in the folder that java.io.tmpdir names: " + e.getMessage(), e);
        }
    }
}
