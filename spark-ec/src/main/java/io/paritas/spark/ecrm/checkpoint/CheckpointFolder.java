/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.checkpoint;

import io.paritas.spark.ecrm.table.ModelSpec;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The checkpoints of a model in a folder. Each is a folder {@code checkpoint-N}: a file for each server, and a manifest, which is there
 * when all else is. Not for two writers at once.
 */
public final class CheckpointFolder {
    static final long MAGIC = 0x5041524954415343L;
    static final int VERSION = 1;
    private static final String PREFIX = "checkpoint-";
    private static final String MANIFEST = "manifest";

    private final FileSystem files;
    private final Path folder;

    public CheckpointFolder(String folder, Configuration conf) throws IOException {
        Path path = new Path(folder);
        this.files = path.getFileSystem(conf);
        this.folder = files.makeQualified(path);
    }

    FileSystem files() {
        return files;
    }

    Path checkpoint(long number) {
        return new Path(folder, String.format(Locale.ROOT, "%s%08d", PREFIX, number));
    }

    Path part(long number, int server) {
        return new Path(checkpoint(number), String.format(Locale.ROOT, "server-%05d", server));
    }

    private Path manifest(long number) {
        return new Path(checkpoint(number), MANIFEST);
    }

    /** The numbers of all, also of those that are not complete, ascending. */
    private List<Long> numbers() throws IOException {
        FileStatus[] all;
        try {
            all = files.listStatus(folder);
        } catch (FileNotFoundException e) {
            return List.of();
        }
        return Arrays.stream(all)
                .map(status -> status.getPath().getName())
                .filter(name -> name.matches(PREFIX + "\\d{8,18}"))
                .map(name -> Long.valueOf(name.substring(PREFIX.length())))
                .sorted()
                .toList();
    }

    /** The newest complete one. */
    public Optional<Long> newest() throws IOException {
        try {
            return numbers().stream().filter(this::isComplete).max(Comparator.naturalOrder());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private boolean isComplete(long number) {
        try {
            return files.exists(manifest(number));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes the folder of the next one; it is complete with {@link #commit}. Returns its number. */
    public long begin() throws IOException {
        long number = numbers().stream().max(Comparator.naturalOrder()).orElse(0L) + 1;
        files.mkdirs(checkpoint(number));
        return number;
    }

    /** All servers have written what they have: from now on this is the newest one. */
    public void commit(long number, ModelSpec model) throws IOException {
        byte[] geometry = Geometry.of(number, model).encode();
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES + Integer.BYTES + geometry.length + Geometry.CRC);
        bytes.putLong(MAGIC).putInt(VERSION).put(geometry);
        Path unfinished = new Path(checkpoint(number), "_" + MANIFEST);
        try (FSDataOutputStream out = files.create(unfinished, true)) {
            out.write(Checked.seal(bytes));
        }
        if (!files.rename(unfinished, manifest(number))) {
            throw new IOException(unfinished + " cannot be renamed to " + MANIFEST);
        }
    }

    /** Deletes one that was not committed. */
    public void abandon(long number) throws IOException {
        files.delete(checkpoint(number), true);
    }

    /** Deletes all that are older than the newest ones. */
    public void keep(int newest) throws IOException {
        List<Long> complete = numbers().stream().filter(this::isComplete).toList();
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
     * @throws IOException if it is damaged
     * @throws IllegalArgumentException if it is one of another model
     */
    public Checkpoint open(long number, ModelSpec model) throws IOException {
        byte[] bytes;
        try (FSDataInputStream in = files.open(manifest(number))) {
            bytes = in.readAllBytes();
        }
        if (bytes.length < Long.BYTES + Integer.BYTES + Geometry.CRC) {
            throw new IOException(manifest(number) + " is damaged: it has only " + bytes.length
                    + " bytes. Restore another checkpoint");
        }
        ByteBuffer buffer = Checked.open(bytes, manifest(number));
        checkFormat(buffer, manifest(number));
        Geometry geometry = Geometry.decode(
                new DataInputStream(new ByteArrayInputStream(bytes, buffer.position(), buffer.remaining())));
        geometry.check(model);
        return new Checkpoint(this, geometry, model);
    }

    /** Reads the beginning of a file. */
    static void checkFormat(ByteBuffer bytes, Path file) throws IOException {
        if (bytes.getLong() != MAGIC) {
            throw new IOException(file + " is no checkpoint of parameter servers");
        }
        int version = bytes.getInt();
        if (version != VERSION) {
            throw new IOException(file + " is of version " + version + ", and this is " + VERSION
                    + ": restore it with the version of Paritas that wrote it");
        }
    }
}
