/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Optional;
import java.util.Queue;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.util.TaskCompletionListener;

/**
 * Rows that wait until their batch is full, first in, first out. Each is its length (long) and its bytes, one after the other, as
 * {@link PackedRows} wants them. They are execution memory of the task to Spark: where that is short, they wait in a file. For
 * the thread that created them.
 */
final class WaitingRows extends MemoryConsumer implements AutoCloseable {
    /* Spark's manager is asked for at least so much at once: it has a lock for all tasks. */
    private static final long STEP = 256 << 10;

    private static final int PAGE = 64 << 10;

    private final TaskContext task;
    private final Thread owner = Thread.currentThread();
    private final Queue<WaitingFile> files = new ArrayDeque<>();
    private final ArrayDeque<Page> pages = new ArrayDeque<>();
    /* The page that was emptied last: batch after batch needs one. */
    private Optional<Page> spare = Optional.empty();
    private int[] lengths = new int[256];
    private int first;
    private int end;
    private long rowBytes;
    private long otherBytes;

    /** Some of the rows' bytes. */
    private static final class Page {
        private final byte[] bytes;
        private int start;
        private int end;

        Page(int size) {
            bytes = new byte[size];
        }
    }

    WaitingRows(TaskContext task) {
        super(task.taskMemoryManager(), MemoryMode.ON_HEAP);
        this.task = task;
        task.addTaskCompletionListener((TaskCompletionListener) context -> close());
    }

    /**
     * Adds a copy of a row.
     *
     * @param others bytes that are held elsewhere for this row, until {@link #clear}
     */
    void add(UnsafeRow row, int others) {
        int length = row.getSizeInBytes();
        reserve((long) length + others);
        Page page = page(Math.addExact(Long.BYTES, length));
        Platform.putLong(page.bytes, Platform.BYTE_ARRAY_OFFSET + (long) page.end, length);
        row.writeToMemory(page.bytes, Platform.BYTE_ARRAY_OFFSET + (long) page.end + Long.BYTES);
        page.end += Long.BYTES + length;
        lengths = end < lengths.length ? lengths : Arrays.copyOf(lengths, 2 * end);
        lengths[end++] = length;
        rowBytes += length;
        otherBytes += others;
    }

    private Page page(int room) {
        Page last = pages.peekLast();
        if (last == null || last.bytes.length - last.end < room) {
            last = room > PAGE ? new Page(room) : spare.orElseGet(() -> new Page(PAGE));
            spare = room > PAGE ? spare : Optional.empty();
            pages.add(last);
        }
        return last;
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

    /** Number of bytes that {@link #take} writes. */
    long size(int count) {
        long size = (long) count * Long.BYTES;
        for (int i = first; i < first + count; i++) {
            size += lengths[i];
        }
        return size;
    }

    /** Moves the first rows to an array, from an offset on; returns the offset behind them. */
    int take(int count, byte[] into, int offset) {
        int to = offset + Math.toIntExact(size(count));
        int at = offset;
        while (at < to && !files.isEmpty()) {
            WaitingFile file = files.element();
            at += file.read(into, at, to - at);
            if (file.isEmpty()) {
                files.remove().delete();
            }
        }
        while (at < to) {
            Page page = pages.element();
            int taken = Math.min(to - at, page.end - page.start);
            System.arraycopy(page.bytes, page.start, into, at, taken);
            page.start += taken;
            at += taken;
            if (page.start == page.end) {
                release(pages.remove());
            }
        }
        first += count;
        return to;
    }

    private void release(Page page) {
        if (page.bytes.length == PAGE) {
            page.start = 0;
            page.end = 0;
            spare = Optional.of(page);
        }
    }

    /** Removes all rows, and gives their memory back. */
    void clear() {
        files.forEach(WaitingFile::delete);
        files.clear();
        forget();
        otherBytes = 0;
        first = 0;
        end = 0;
        freeMemory(getUsed());
    }

    /** No row comes any more. Spark keeps this object until the end of the task, which may read many partitions. */
    @Override
    public void close() {
        clear();
        spare = Optional.empty();
        lengths = new int[0];
    }

    private void forget() {
        pages.clear();
        rowBytes = 0;
    }

    /** Writes the rows to a file. */
    @Override
    public long spill(long wanted, MemoryConsumer trigger) {
        if (pages.isEmpty() || Thread.currentThread() != owner) {
            return 0;
        }
        long size = pages.stream().mapToLong(page -> page.end - page.start).sum();
        WaitingFile file = WaitingFile.write(size, out -> {
            for (Page page : pages) {
                out.write(page.bytes, page.start, page.end - page.start);
            }
        });
        task.taskMetrics().incMemoryBytesSpilled(rowBytes);
        task.taskMetrics().incDiskBytesSpilled(file.length());
        files.add(file);
        forget();
        long freed = Math.max(0, getUsed() - otherBytes);
        freeMemory(freed);
        return freed;
    }
}
