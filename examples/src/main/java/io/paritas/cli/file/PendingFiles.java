/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.inference.CompleteFile;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * New files of one directory that get their names when all of them are complete and on disk. Until then their names end in
 * {@code .tmp}, and only their owner can read them.
 *
 * <p>Closing deletes files that were not published, but not where others have replaced old ones. A program that is interrupted
 * while it gives names gives all of them; before, it deletes its files. A killed one leaves them behind, as {@link TemporaryFiles}.
 */
final class PendingFiles implements Closeable {
    /** Ends the name of a file that is not published, behind a number. */
    static final String SUFFIX = ".tmp";

    /** Characters of a file's name in that of its temporary file: file systems allow 255 bytes, and a character takes up to 4. */
    private static final int MAX_PREFIX = 50;

    /** What becomes of a file that has the name of a new one when that is published. */
    enum Existing {
        KEPT,
        REPLACED
    }

    /**
     * A file that is being written.
     *
     * @param key by which the file system knows it, whatever its name; null if it has none
     */
    record Pending(Path target, Path temporary, FileChannel channel, Object key) {
        /** Appends all that remains in the buffer. */
        void write(ByteBuffer source) throws IOException {
            try {
                while (source.hasRemaining()) {
                    channel.write(source);
                }
            } catch (IOException e) {
                throw CompleteFile.named(target, e);
            }
        }

        void complete(Access access) throws IOException {
            try {
                channel.force(true);
            } catch (IOException e) {
                throw CompleteFile.named(target, e);
            }
            channel.close();
            access.grant(temporary);
        }

        /** Of two programs that replace the same files at the same time, the later one has to know that the files may not fit. */
        void checkPublished() throws IOException {
            if (!Objects.equals(key, key(target))) {
                throw new FileSystemException(
                        target.toString(),
                        null,
                        "another program has replaced it at the same time: do this again, alone");
            }
        }

        static Object key(Path file) throws IOException {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        }

        void checkFree() throws FileAlreadyExistsException {
            if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
                throw new FileAlreadyExistsException(
                        target.toString(), null, "it appeared in the meantime and is kept; --force would replace it");
            }
        }

        void publish(Existing existing) throws IOException {
            if (existing == Existing.REPLACED || !link()) {
                Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            }
        }

        /** Gives the file its name as well, if that is free: a move would replace a file that has just appeared. */
        private boolean link() throws IOException {
            try {
                Files.createLink(target, temporary);
                return true;
            } catch (FileAlreadyExistsException e) {
                checkFree();
                throw e;
            } catch (FileSystemException | UnsupportedOperationException e) {
                checkFree(); // the file system has no links
                return false;
            }
        }

        boolean replacesAnother() {
            return Files.exists(target, LinkOption.NOFOLLOW_LINKS);
        }

        void discard() throws IOException {
            channel.close();
            Files.deleteIfExists(temporary);
        }
    }

    private final Path directory;
    private final boolean ours;
    private final Existing existing;
    private final List<Pending> files = new CopyOnWriteArrayList<>();
    /* For an interrupted program. Not deleteOnExit, which would delete what is to stay, too. */
    private final Thread atExit = new Thread(this::deleteAtExit, "delete files that are not published");
    private boolean ended;
    private boolean published;
    /* Whether an old file is gone: then new ones may be all that there is, whatever their names. */
    private boolean replaced;

    private PendingFiles(Path directory, boolean ours, Existing existing) {
        this.directory = directory;
        this.ours = ours;
        this.existing = existing;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Creates pending files in an existing directory. */
    static PendingFiles in(Path directory, Existing existing) {
        return new PendingFiles(directory, false, existing);
    }

    /** Creates pending files in a directory that is created if missing, and deleted if nothing is published. */
    static PendingFiles creating(Path directory, Existing existing) throws IOException {
        boolean missing = Files.notExists(directory);
        if (missing) {
            Files.createDirectory(directory);
            directory.toFile().deleteOnExit(); // after its files, and if they were not published only: it is empty then
        }
        return new PendingFiles(directory, missing, existing);
    }

    /** Starts a file of the directory, or one that a link in it leads to. */
    synchronized Pending add(Path target) throws IOException {
        requireRunning();
        if (Files.isDirectory(target)) {
            throw new FileAlreadyExistsException(target.toString(), null, "a directory is in the place of a file");
        }
        Path temporary = Files.createTempFile(folder(target), prefix(target) + ".", SUFFIX);
        FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE);
        Pending file = new Pending(target, temporary, channel, Pending.key(temporary));
        files.add(file);
        return file;
    }

    /**
     * Completes all files, then gives them their names.
     *
     * @throws FileAlreadyExistsException if a name is taken by a file that is to be kept; then none is published
     * @throws IOException if not all files can have their names. If existing ones are replaced, and some are by then, the others stay
     *     under their temporary names
     */
    void publish(Access access) throws IOException {
        for (Pending file : files) {
            file.complete(access);
        }
        if (existing == Existing.KEPT) {
            for (Pending file : files) {
                file.checkFree();
            }
        }
        nameAll();
        if (existing == Existing.REPLACED) {
            for (Pending file : files) {
                file.checkPublished();
            }
        }
        for (Path folder : files.stream().map(file -> folder(file.target())).collect(Collectors.toSet())) {
            Access.syncDirectory(folder);
        }
        if (ours) {
            Access.syncDirectory(directory.toAbsolutePath().getParent());
        }
    }

    /** A program that is interrupted now ends afterwards: with some of the names, neither old nor new files may be enough. */
    private synchronized void nameAll() throws IOException {
        requireRunning();
        List<Pending> named = new ArrayList<>();
        try {
            for (Pending file : files) {
                boolean replaces = existing == Existing.REPLACED && file.replacesAnother();
                file.publish(existing);
                named.add(file);
                if (replaces) {
                    replaced = true;
                }
            }
        } catch (IOException e) {
            if (replaced) {
                published = true;
                throw halfDone(named.size(), e);
            }
            for (Pending file : named) {
                Files.deleteIfExists(file.target());
            }
            throw e;
        }
        published = true;
        for (Pending file : files) {
            Files.deleteIfExists(file.temporary());
        }
    }

    private void requireRunning() throws InterruptedIOException {
        if (ended) {
            throw new InterruptedIOException("the program ends: nothing is written");
        }
    }

    private FileSystemException halfDone(int named, IOException failure) {
        Pending first = files.get(named);
        String reason = failure instanceof FileSystemException known && known.getReason() != null
                ? known.getReason()
                : failure.toString();
        FileSystemException halfDone = new FileSystemException(
                first.target().toString(),
                null,
                "it cannot be replaced (" + reason + "), and " + named + " of " + files.size()
                        + " files have been: the others are complete under temporary names, this one as "
                        + first.temporary()
                        + ": rename them when this is mended, or delete them and do it again");
        halfDone.initCause(failure);
        return halfDone;
    }

    private static String prefix(Path file) {
        return file.getFileName()
                .toString()
                .codePoints()
                .limit(MAX_PREFIX)
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
    }

    private static Path folder(Path file) {
        return file.toAbsolutePath().getParent();
    }

    @Override
    public void close() throws IOException {
        if (!replaced) {
            for (Pending file : files) {
                file.discard();
            }
        }
        if (ours && !published) {
            Files.deleteIfExists(directory);
        }
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // the program ends already
        }
    }

    private synchronized void deleteAtExit() {
        ended = true;
        if (!replaced) {
            for (Pending file : files) {
                file.temporary().toFile().delete();
            }
        }
    }
}
