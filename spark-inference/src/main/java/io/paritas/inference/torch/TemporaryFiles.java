/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.DiskSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
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
        return named(name, 0, work);
    }

    /**
     * The same for a file that LibTorch writes, which ends the JVM if it cannot write to the end.
     *
     * @param bytes for which there must be room
     */
    static <T> T named(String name, long bytes, Work<T> work) {
        try {
            Path folder = Files.createTempDirectory("paritas-torch");
            try {
                DiskSpace.require(folder, bytes);
                return work.with(folder.resolve(name));
            } finally {
                Files.deleteIfExists(folder.resolve(name));
                Files.delete(folder);
            }
        } catch (IOException e) {
            String reason = e instanceof FileSystemException named && named.getReason() == null
                    ? e.toString() // the message is a path
                    : e.getMessage();
            String message = "LibTorch needs a temporary file in the folder of java.io.tmpdir: " + reason;
            throw new UncheckedIOException(message, new IOException(message, e));
        }
    }
}
