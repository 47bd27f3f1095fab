/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.checkpoint;

import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.job.DiskFiles;
import io.paritas.spark.job.DurableFiles;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder with the checkpoints of a model. Each checkpoint is a folder {@code checkpoint-N} with a file for each
 * server, and a manifest that is written last. Supports one writer at a time. Two that write at once never get one number, but each
 * deletes old checkpoints, also the other's.
 */
public final class CheckpointFolder {
    static final long MAGIC = 0x5041524954415343L;
    static final int VERSION = 1;
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointFolder.class);
    private static final String PREFIX = "checkpoint-";
    private static final String MANIFEST = "manifest";
    private static final String PART = "server-";
    private static final String WRITER = "_writer-";

    /** Among so many numbers those choose, at most, that have met at one. */
    private static final int MOST_CHOICES = 64;

    /** So many numbers are taken in a row only where a folder does not list what was just created. */
    private static final int MOST_ATTEMPTS = 100;

    private final FileSystem files;
    private final Path folder;

    /**
     * Opens a folder, which need not exist.
     *
     * @throws IOException if there is no such file system
     */
    public CheckpointFolder(String folder, Configuration conf) throws IOException {
        Path path = new Path(folder);
        this.files = DiskFiles.of(path, conf);
        this.folder = files.makeQualified(path);
    }

    FileSystem files() {
        return files;
    }

    Path checkpoint(long number) {
        return new Path(folder, String.format(Locale.ROOT, "%s%08d", PREFIX, number));
    }

    Path part(long number, int server) {
        return new Path(checkpoint(number), String.format(Locale.ROOT, "%s%05d", PART, server));
    }

    private static boolean isPart(Path file) {
        return file.getName().startsWith(PART);
    }

    private Path manifest(long number) {
        return new Path(checkpoint(number), MANIFEST);
    }

    /** Returns the numbers of all checkpoints, incomplete ones included, ascending. */
    private List<Long> numbers() throws IOException {
        return list(folder)
                .map(status -> status.getPath().getName())
                .filter(name -> name.matches(PREFIX + "\\d{8,18}"))
                .map(name -> Long.valueOf(name.substring(PREFIX.length())))
                .sorted()
                .toList();
    }

    /** Returns what is in a folder: nothing, if it is not there. */
    private Stream<FileStatus> list(Path folder) throws IOException {
        try {
            return Arrays.stream(files.listStatus(folder));
        } catch (FileNotFoundException e) {
            return Stream.empty();
        }
    }

    /** Returns the number of the newest complete checkpoint. */
    public Optional<Long> newest() throws IOException {
        return complete().stream().max(Comparator.naturalOrder());
    }

    /**
     * Returns the number of the newest complete checkpoint.
     *
     * @throws IllegalArgumentException if there is none
     */
    public long requireNewest() throws IOException {
        return newest().orElseThrow(() -> new IllegalArgumentException("folder must have a complete checkpoint, got "
                + folder + ": start without one, or name the folder that checkpoints were written to"));
    }

    /** Returns the numbers of the complete checkpoints, ascending. */
    private List<Long> complete() throws IOException {
        List<Long> complete = new ArrayList<>();
        for (long number : numbers()) {
            if (files.exists(manifest(number))) {
                complete.add(number);
            }
        }
        return complete;
    }

    /**
     * Creates the folder of the next checkpoint, which {@link #commit} completes. Returns its number, which nobody else gets.
     *
     * @param last greatest number that the caller has begun, 0 if none: the next one is greater, also in another folder
     * @throws IOException if the folder cannot be written to, or does not list what is created in it
     */
    public long begin(long last) throws IOException {
        int choices = 1;
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            long newest = numbers().stream().max(Comparator.naturalOrder()).orElse(0L);
            long number =
                    Math.max(last, newest) + 1 + ThreadLocalRandom.current().nextInt(choices);
            if (claim(number)) {
                return number;
            }
            choices = Math.min(2 * choices, MOST_CHOICES);
        }
        throw new IOException(
                "folders that are created in " + folder + " must list one file, the one that their writer creates, got "
                        + MOST_ATTEMPTS + " that do not: use a file system that lists files as soon as they are there");
    }

    /**
     * Creates the folder of a checkpoint with a mark of this writer, which stays; returns whether it is this writer's alone. Local file
     * systems and object stores do not tell which of two was first to create something. So each creates its mark before it looks: of two
     * that do so at once, at least one sees the other's mark, and takes another number.
     */
    private boolean claim(long number) throws IOException {
        // A folder that HDFS creates with a file takes over the rights of the folder above.
        files.mkdirs(checkpoint(number));
        Path mark = new Path(checkpoint(number), WRITER + UUID.randomUUID());
        files.create(mark, false).close();
        if (files.listStatus(checkpoint(number)).length == 1) {
            return true;
        }
        files.delete(mark, false);
        return false;
    }

    /**
     * Completes a checkpoint after all servers have written their files: from now on it can be opened.
     *
     * @throws IOException if it is complete already, one of the files is not here with its full length, or the file system fails. One that
     *     was not complete is not complete then, unless its manifest can be written and cannot be deleted
     */
    public void commit(long number, ModelSpec model) throws IOException {
        CheckpointLayout written = CheckpointLayout.of(number, model);
        checkParts(written);
        if (files.exists(manifest(number))) {
            throw new IOException(checkpoint(number) + " must be committed once, it has a manifest already: let one"
                    + " application at a time write to the folder");
        }
        byte[] layout = written.encode();
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES + Integer.BYTES + layout.length + CheckpointLayout.CRC);
        bytes.putLong(MAGIC).putInt(VERSION).put(layout);
        DurableFiles.write(files, manifest(number), Checksums.seal(bytes));
        checkAgain(written);
    }

    /**
     * Takes the manifest back if another application has deleted parts before the manifest was there. A file system that gives no answer
     * now says nothing against what it has said before.
     */
    private void checkAgain(CheckpointLayout written) throws IOException {
        try {
            checkParts(written);
        } catch (WrongPartException e) {
            try {
                files.delete(manifest(written.number()), false);
            } catch (IOException other) {
                e.addSuppressed(other);
            }
            throw e;
        } catch (IOException e) {
            LOG.warn("{} is complete, and its files could not be looked at once more", checkpoint(written.number()), e);
        }
    }

    /** A file that is missing, or that has another length than was written. */
    private static final class WrongPartException extends IOException {
        WrongPartException(Path part, long length, String seen) {
            super(part + " must have " + length + " bytes, got " + seen + ": name a folder that the driver"
                    + " and all executors share, and let one application at a time write to it");
        }
    }

    private void checkParts(CheckpointLayout written) throws IOException {
        for (int server = 0; server < written.servers(); server++) {
            checkLength(part(written.number(), server), written.length(server));
        }
    }

    /** Checks that this JVM sees what a server has written: a folder may be another one on each host. */
    private void checkLength(Path part, long length) throws IOException {
        long bytes;
        try {
            bytes = files.getFileStatus(part).getLen();
        } catch (FileNotFoundException e) {
            throw new WrongPartException(part, length, "no file");
        }
        if (bytes != length) {
            throw new WrongPartException(part, length, Long.toString(bytes));
        }
    }

    /**
     * Deletes what was written of a checkpoint, unless it is complete. Its folder, with the writer's mark, stays until {@link #keep}
     * deletes it, so nobody else gets its number: a server may still be writing to it.
     */
    public void abandon(long number) throws IOException {
        if (files.exists(manifest(number))) {
            return;
        }
        for (Path file : list(checkpoint(number)).map(FileStatus::getPath).toList()) {
            if (!file.getName().startsWith(WRITER)) {
                files.delete(file, false);
            }
        }
    }

    /** Deletes all checkpoints that are older than the {@code newest} newest complete ones. */
    public void keep(int newest) throws IOException {
        List<Long> complete = complete();
        if (complete.size() > newest) {
            long oldest = complete.get(complete.size() - newest);
            for (long number : numbers()) {
                if (number < oldest) {
                    files.delete(checkpoint(number), true);
                }
            }
        }
    }

    /**
     * Opens a checkpoint of a model.
     *
     * @throws IOException if its manifest cannot be read or is damaged
     * @throws IllegalArgumentException if it belongs to another model
     */
    public Checkpoint open(long number, ModelSpec model) throws IOException {
        byte[] bytes;
        try (FSDataInputStream in = files.open(manifest(number))) {
            bytes = in.readAllBytes();
        }
        if (bytes.length < Long.BYTES + Integer.BYTES + CheckpointLayout.CRC) {
            throw Checksums.damaged(manifest(number), "it is too short, got " + bytes.length + " bytes");
        }
        ByteBuffer buffer = Checksums.open(bytes, manifest(number));
        checkFormat(buffer, manifest(number));
        CheckpointLayout layout;
        try {
            layout = CheckpointLayout.decode(
                    new DataInputStream(new ByteArrayInputStream(bytes, buffer.position(), buffer.remaining())));
        } catch (EOFException e) {
            throw Checksums.damaged(manifest(number), "it is no manifest");
        }
        layout.check(model);
        long parts =
                list(checkpoint(number)).filter(file -> isPart(file.getPath())).count();
        if (layout.servers() > parts) { // the placement of rows has memory for each
            throw Checksums.damaged(
                    manifest(number),
                    "or files are missing: it names " + layout.servers() + " servers, there are files of " + parts);
        }
        return new Checkpoint(this, layout, model);
    }

    /** Reads and checks the magic number and version of a file. */
    static void checkFormat(ByteBuffer bytes, Path file) throws IOException {
        if (bytes.getLong() != MAGIC) {
            throw new IOException(file + " is not a checkpoint of parameter servers");
        }
        int version = bytes.getInt();
        if (version != VERSION) {
            throw new IOException("version of " + file + " must be " + VERSION + ", got " + version
                    + ": restore it with the version of Paritas that wrote it");
        }
    }
}
