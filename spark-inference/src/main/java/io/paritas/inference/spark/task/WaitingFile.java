/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.TempLocalBlockId;
import scala.Tuple2;

/** Bytes in a temporary file of the executor, compressed and encrypted as Spark is told to, to be read once. */
final class WaitingFile {
    private final TempLocalBlockId block;
    private final Path file;
    private long left;
    private InputStream in;

    /** Writes bytes. */
    @FunctionalInterface
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    private WaitingFile(TempLocalBlockId block, Path file, long left) {
        this.block = block;
        this.file = file;
        this.left = left;
    }

    /** Writes content of so many bytes to a new file. */
    static WaitingFile write(long size, Content content) {
        Tuple2<TempLocalBlockId, java.io.File> created =
                SparkEnv.get().blockManager().diskBlockManager().createTempLocalBlock();
        WaitingFile written = new WaitingFile(created._1, created._2.toPath(), size);
        try (OutputStream out = SparkEnv.get()
                .serializerManager()
                .wrapStream(created._1, new BufferedOutputStream(Files.newOutputStream(written.file)))) {
            content.writeTo(out);
        } catch (IOException e) {
            written.delete();
            throw new UncheckedIOException("rows that wait cannot be written: " + e.getMessage(), e);
        }
        return written;
    }

    /** Number of bytes on the disk. */
    long length() {
        return file.toFile().length();
    }

    /** Reads as many bytes as there are, and not more than wanted; returns how many. */
    int read(byte[] into, int offset, int wanted) {
        int count = (int) Math.min(left, wanted);
        try {
            if (in == null) {
                in = SparkEnv.get()
                        .serializerManager()
                        .wrapStream(block, new BufferedInputStream(Files.newInputStream(file)));
            }
            if (in.readNBytes(into, offset, count) < count) {
                throw new EOFException("a file of rows ends too early");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("rows that waited cannot be read: " + e.getMessage(), e);
        }
        left -= count;
        return count;
    }

    boolean isEmpty() {
        return left == 0;
    }

    void delete() {
        try {
            if (in != null) {
                in.close();
            }
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException("a file of rows cannot be deleted: " + e.getMessage(), e);
        }
    }
}
