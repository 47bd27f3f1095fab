/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.storage.TempLocalBlockId;
import org.apache.spark.util.TaskCompletionListener;
import scala.Tuple2;

/**
 * Rows that wait until their batch is full, first in, first out. Their bytes are execution memory of the task to Spark:
 * where that is short, they wait in a file. For the thread that created them.
 */
final class WaitingRows extends MemoryConsumer {
    /* Spark's manager is asked for at least so much at once: it has a lock for all tasks. */
    private static final long STEP = 256 << 10;

    private final TaskContext task;
    private final Thread owner = Thread.currentThread();
    private final Queue<SpilledRows> files = new ArrayDeque<>();
    private final Queue<byte[]> rows = new ArrayDeque<>();
    private long rowBytes;
    private long otherBytes;

    WaitingRows(TaskContext task) {
        super(task.taskMemoryManager(), MemoryMode.ON_HEAP);
        this.task = task;
        task.addTaskCompletionListener((TaskCompletionListener) context -> clear());
    }

    /**
     * Adds a copy of a row.
     *
     * @param others bytes that are held elsewhere for this row, until {@link #clear}
     */
    void add(UnsafeRow row, int others) {
        reserve((long) row.getSizeInBytes() + others);
        rows.add(row.copy().getBytes());
        rowBytes += row.getSizeInBytes();
        otherBytes += others;
    }

    private void reserve(long bytes) {
        if (held() + bytes > getUsed()) {
            acquireMemory(Math.max(STEP, held() + bytes - getUsed()));
        }
        if (held() + bytes > getUsed()) {
            spill(bytes, this);
            acquireMemory(Math.max(0, held() + bytes - getUsed()));
        }
    }

    private long held() {
        return rowBytes + otherBytes;
    }

    /** Removes and returns the first rows. */
    List<byte[]> take(int count) {
        List<byte[]> taken = new ArrayList<>(count);
        while (taken.size() < count && !files.isEmpty()) {
            taken.add(files.element().next());
            if (!files.element().hasNext()) {
                files.remove().delete();
            }
        }
        while (taken.size() < count) {
            taken.add(rows.remove());
        }
        return taken;
    }

    /** Removes all rows, and gives their memory back. */
    void clear() {
        files.forEach(SpilledRows::delete);
        files.clear();
        rows.clear();
        rowBytes = 0;
        otherBytes = 0;
        freeMemory(getUsed());
    }

    /** Writes the rows to a file. */
    @Override
    public long spill(long wanted, MemoryConsumer trigger) {
        if (rows.isEmpty() || Thread.currentThread() != owner) {
            return 0;
        }
        SpilledRows file = SpilledRows.write(rows);
        task.taskMetrics().incMemoryBytesSpilled(rowBytes);
        task.taskMetrics().incDiskBytesSpilled(file.length());
        files.add(file);
        rows.clear();
        rowBytes = 0;
        long freed = Math.max(0, getUsed() - otherBytes);
        freeMemory(freed);
        return freed;
    }

    /** Rows in a file, compressed and encrypted as Spark is told to. */
    private static final class SpilledRows {
        private final TempLocalBlockId block;
        private final Path file;
        private int left;
        private DataInputStream in;

        private SpilledRows(TempLocalBlockId block, Path file, int left) {
            this.block = block;
            this.file = file;
            this.left = left;
        }

        static SpilledRows write(Queue<byte[]> rows) {
            Tuple2<TempLocalBlockId, java.io.File> created =
                    SparkEnv.get().blockManager().diskBlockManager().createTempLocalBlock();
            SpilledRows spilled = new SpilledRows(created._1, created._2.toPath(), rows.size());
            try (DataOutputStream out = new DataOutputStream(SparkEnv.get()
                    .serializerManager()
                    .wrapStream(created._1, new BufferedOutputStream(Files.newOutputStream(spilled.file))))) {
                for (byte[] row : rows) {
                    out.writeInt(row.length);
                    out.write(row);
                }
            } catch (IOException e) {
                spilled.delete();
                throw new UncheckedIOException("rows that wait cannot be written: " + e.getMessage(), e);
            }
            return spilled;
        }

        long length() {
            return file.toFile().length();
        }

        boolean hasNext() {
            return left > 0;
        }

        byte[] next() {
            try {
                if (in == null) {
                    in = new DataInputStream(SparkEnv.get()
                            .serializerManager()
                            .wrapStream(block, new BufferedInputStream(Files.newInputStream(file))));
                }
                left--;
                byte[] row = new byte[in.readInt()];
                in.readFully(row);
                return row;
            } catch (IOException e) {
                throw new UncheckedIOException("rows that waited cannot be read: " + e.getMessage(), e);
            }
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
}
