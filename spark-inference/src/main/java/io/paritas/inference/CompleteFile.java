/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes files atomically: after a crash a file is complete, or as it was before. */
public final class CompleteFile {

    private CompleteFile() {}

    /** Writes the content of a file. */
    @FunctionalInterface
    public interface Content {
        void write(OutputStream out) throws IOException;
    }

    /** Replaces a file by these bytes. */
    public static void write(Path file, byte[] bytes) throws IOException {
        write(file, out -> out.write(bytes));
    }

    /**
     * Writes NAME.tmp beside the file, forces it to disk, and moves it into place. Makes missing folders. A kill may leave
     * NAME.tmp; the next write replaces it. One writer of a file at a time.
     */
    public static void write(Path file, Content content) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Files.createDirectories(folder);
        Path unfinished = folder.resolve(file.getFileName() + ".tmp");
        try {
            try (FileChannel channel = FileChannel.open(unfinished, CREATE, TRUNCATE_EXISTING, WRITE);
                    OutputStream out = Channels.newOutputStream(channel)) {
                content.write(out);
                channel.force(true);
            }
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }
}
