/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A folder that can be written, in which no other training of the same kind runs. A killed one leaves no claim. */
public final class ClaimedFolder implements AutoCloseable {
    private final Path folder;
    private final Path file;
    private final FileChannel channel;
    private final boolean isNew;

    private ClaimedFolder(Path folder, Path file, FileChannel channel, boolean isNew) {
        this.folder = folder;
        this.file = file;
        this.channel = channel;
        this.isNew = isNew;
    }

    /**
     * Makes the folder, if it is missing, and claims it.
     *
     * @param checkpoint name of the training's checkpoint
     * @throws IllegalStateException if another training has claimed it
     */
    static ClaimedFolder of(Path folder, String checkpoint) throws IOException {
        boolean isNew = !Files.isDirectory(folder);
        if (isNew) {
            Files.createDirectories(folder);
        }
        Path file = folder.resolve(checkpoint + ".lock");
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (!lock(channel)) {
            channel.close();
            throw new IllegalStateException("one training at a time writes " + checkpoint + " in " + folder
                    + ", another one does: wait until it has ended, or name another folder");
        }
        return new ClaimedFolder(folder, file, channel, isNew);
    }

    /** Locks a file until it is closed; returns whether nobody else has. */
    private static boolean lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Deletes the folder, too, if it is new and nothing was written. */
    @Override
    public void close() throws IOException {
        try {
            Files.deleteIfExists(file);
            if (isNew) {
                Files.deleteIfExists(folder);
            }
        } catch (DirectoryNotEmptyException e) {
            // it has the results
        } finally {
            channel.close();
        }
    }
}
