/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.inference.CompleteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** A folder that can be written, in which no other training of the same kind, or calibration, runs. A killed one leaves no claim. */
public final class ClaimedFolder implements AutoCloseable {
    /* Of this JVM. It must not open such a file again: the system ends all locks of a process on a file when that closes it once. */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    /** In the real folder, which a link may lead to. */
    private final Path file;

    private final FileChannel channel;
    private final boolean isNew;

    private ClaimedFolder(Path file, FileChannel channel, boolean isNew) {
        this.file = file;
        this.channel = channel;
        this.isNew = isNew;
    }

    /**
     * Makes the folder, if it is missing, and claims it. A link may lead there.
     *
     * @param checkpoint name of the training's checkpoint
     * @throws IllegalStateException if another training or calibration has claimed it
     */
    static ClaimedFolder of(Path folder, String checkpoint) throws IOException {
        boolean isNew = false;
        while (true) {
            if (!Files.isDirectory(folder)) {
                isNew = true;
                CompleteFile.createFolder(folder);
            }
            try {
                Path file = folder.toRealPath().resolve(checkpoint + ".lock");
                Optional<FileChannel> channel = hold(file);
                if (channel.isEmpty()) {
                    throw new IllegalStateException("one training or calibration at a time writes into " + folder
                            + ", and another one holds " + file.getFileName() + ": wait until it has ended");
                }
                boolean there = false;
                try {
                    there = isThere(file, channel.get());
                } finally {
                    if (!there) {
                        release(file, channel.get());
                    }
                }
                if (there) {
                    return new ClaimedFolder(file, channel.get(), isNew);
                }
            } catch (NoSuchFileException e) {
                if (Files.isDirectory(folder)) {
                    throw e;
                }
                // A training that made the folder has ended, and deleted it.
            }
        }
    }

    /** Opens and locks a file; empty if somebody else has. */
    private static Optional<FileChannel> hold(Path file) throws IOException {
        if (!HELD.add(file)) {
            return Optional.empty();
        }
        FileChannel channel = null;
        boolean locked = false;
        try {
            // Where a link of somebody else leads, a file would lose its content; and a pipe waits for a reader.
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                    && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                throw new FileSystemException(
                        file.toString(),
                        null,
                        "a lock must be a file of its own, it is a link, a pipe or the like: delete it");
            }
            channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            locked = lock(channel);
            return locked ? Optional.of(channel) : Optional.empty();
        } finally {
            if (!locked) {
                release(file, channel);
            }
        }
    }

    /** Locks a file until it is closed; returns whether nobody else has. */
    private static boolean lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /**
     * Whether the file that is locked is that which others see: the training before may have deleted it since it was opened. A size
     * tells, because to read the file would be to open it again.
     */
    private static boolean isThere(Path file, FileChannel channel) throws IOException {
        int last = ThreadLocalRandom.current().nextInt(1 << 20);
        channel.truncate(0).write(ByteBuffer.allocate(1), last);
        try {
            return Files.size(file) == last + 1;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static void release(Path file, FileChannel channel) throws IOException {
        try {
            if (channel != null) {
                channel.close();
            }
        } finally {
            HELD.remove(file);
        }
    }

    /** Deletes the folder, too, if it is new and nothing was written. */
    @Override
    public void close() throws IOException {
        try {
            Files.deleteIfExists(file);
            if (isNew) {
                Files.deleteIfExists(file.getParent());
            }
        } catch (DirectoryNotEmptyException e) {
            // it has the results
        } finally {
            release(file, channel);
        }
    }
}
