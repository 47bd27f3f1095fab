/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes files atomically: after a crash a file is complete, or as it was before. */
public final class CompleteFile {
    /** As many as Linux follows. */
    private static final int MOST_LINKS = 40;

    /** Bytes that are written at once. A zip stream writes 512. */
    private static final int BUFFER = 1 << 16;

    /** So long that nobody else has such a file beside his own. */
    private static final String UNFINISHED = ".paritas-tmp";

    /** The open files of this process, where a system has them as files. */
    private static final Path DESCRIPTORS = Path.of("/dev/fd");

    private CompleteFile() {}

    /** Writes the content of a file. */
    @FunctionalInterface
    public interface Content {
        void write(OutputStream out) throws IOException;
    }

    /**
     * Whether this is a device or a pipe, which no other file may replace, or a file that this process has open: {@code /dev/stdout} is
     * one of these, whatever it leads to.
     */
    public static boolean isWrittenInPlace(Path file) {
        try {
            return Files.exists(file)
                    && !Files.isDirectory(file)
                    && (!Files.isRegularFile(file) || isDescriptor(target(file)));
        } catch (IOException e) {
            return false; // what cannot be looked at is written as a file, which tells why not
        }
    }

    /** Whether it is one of the files that this process has open, but for its standard input: that is read. */
    private static boolean isDescriptor(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        return folder != null
                && !file.endsWith("0")
                && Files.isDirectory(folder)
                && Files.isDirectory(DESCRIPTORS)
                && Files.isSameFile(folder, DESCRIPTORS);
    }

    /**
     * Makes a folder and those above it where they are missing, and returns it. A link to a folder is one, which
     * {@link Files#createDirectories} refuses until JDK 19; where a link leads to nothing, the folder is made there.
     */
    public static Path createFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(target(folder));
        }
        return folder;
    }

    /** Replaces a file by these bytes. */
    public static void write(Path file, byte[] bytes) throws IOException {
        write(file, out -> out.write(bytes));
    }

    /**
     * Writes NAME.paritas-tmp beside the file, forces it to disk, and moves it into place. Makes missing folders. A kill may leave
     * NAME.paritas-tmp; the next write replaces it. One writer of a file at a time. Where a symbolic link leads is written, and not in the
     * link's place; devices and pipes are written as they are, and {@code /dev/stdout} after what this process has written there.
     */
    public static void write(Path name, Content content) throws IOException {
        if (isWrittenInPlace(name)) {
            try (OutputStream out = device(target(name))) {
                content.write(out);
            } catch (IOException e) {
                throw named(name, e);
            }
            return;
        }
        Path file = target(name);
        Path unfinished = unfinished(file);
        createFolder(unfinished.getParent());
        Files.deleteIfExists(unfinished); // it may be a link of somebody else, which leads anywhere
        try {
            try (FileChannel channel = FileChannel.open(unfinished, CREATE_NEW, WRITE);
                    OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER)) {
                content.write(out);
                out.flush();
                channel.force(true);
            } catch (IOException e) {
                throw named(file, e);
            }
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    /**
     * Finds out whether a file can be written by making its temporary file, and deletes that. Nothing is found out of a folder that is
     * yet to be made.
     *
     * @throws IOException if it cannot be written: the name is too long, say, or a link leads where files cannot be made
     */
    public static void tryOut(Path name) throws IOException {
        Path unfinished = unfinished(target(name));
        if (Files.isDirectory(unfinished, NOFOLLOW_LINKS)) {
            throw new FileSystemException(
                    unfinished.toString(), null, "a folder is in the place of the temporary file");
        }
        if (Files.isDirectory(unfinished.getParent()) && !Files.exists(unfinished, NOFOLLOW_LINKS)) {
            Files.delete(Files.createFile(unfinished));
        }
    }

    /** The file that is written before it is moved into the place of another one. */
    public static Path unfinished(Path file) {
        Path whole = file.toAbsolutePath();
        return whole.resolveSibling(whole.getFileName() + UNFINISHED);
    }

    /** Standard output that is opened again would write over its file from the start, or be written over. */
    private static OutputStream device(Path file) throws IOException {
        if (isDescriptor(file) && file.endsWith("1")) {
            return staysOpen(FileDescriptor.out);
        }
        if (isDescriptor(file) && file.endsWith("2")) {
            return staysOpen(FileDescriptor.err);
        }
        return Files.newOutputStream(file, WRITE, APPEND);
    }

    private static OutputStream staysOpen(FileDescriptor descriptor) {
        return new BufferedOutputStream(new FileOutputStream(descriptor), BUFFER) {
            @Override
            public void close() throws IOException {
                flush();
            }
        };
    }

    /**
     * Where links lead, which is where a file is written. Nothing may be there yet, not even the folder. A file that is open is not a
     * link.
     *
     * @throws FileSystemException if links lead in a circle
     */
    public static Path target(Path name) throws IOException {
        Path file = name;
        for (int links = 0; Files.isSymbolicLink(file) && !isDescriptor(file); links++) {
            if (links == MOST_LINKS) {
                throw new FileSystemException(name.toString(), null, "symbolic links lead in a circle");
            }
            file = file.resolveSibling(Files.readSymbolicLink(file));
        }
        return file;
    }

    /** What went wrong with a file, and with which: of a full disk, Java says only that no space is left. */
    public static FileSystemException named(Path file, IOException failure) {
        if (failure instanceof FileSystemException named) {
            return named;
        }
        String reason = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        FileSystemException named = new FileSystemException(file.toString(), null, reason);
        named.initCause(failure);
        return named;
    }
}
