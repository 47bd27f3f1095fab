/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Batches of rows that come one by one. There is a next one if it is full, or if no row will come any more. */
final class GatheredRows implements Iterator<Batch>, AutoCloseable {
    private final BatchLimit limit;
    private final int fields;
    private final WaitingRows rows;
    private final List<ByteBuffer> inputs = new ArrayList<>();
    private final Queue<Batch> full = new ArrayDeque<>();
    private long held;

    GatheredRows(RowPlan plan, TaskContext task) {
        this.limit = plan.batch();
        this.fields = plan.columns().length();
        this.rows = new WaitingRows(task);
    }

    /**
     * Adds a row.
     *
     * @param columns its columns, copied
     * @param input its input, copied
     */
    void add(UnsafeRow columns, ByteBuffer input) {
        ByteBuffer copy = ByteBuffer.allocate(input.remaining());
        inputs.add(copy.put(input).flip());
        rows.add(columns, copy.remaining());
        held += columns.getSizeInBytes() + copy.remaining();
        if (limit.isReached(inputs.size(), held)) {
            finish();
        }
    }

    /** No row will come any more. */
    void end() {
        if (!inputs.isEmpty()) {
            finish();
        }
    }

    @Override
    public void close() {
        rows.close();
    }

    private void finish() {
        ByteBuffer all = ByteBuffer.allocate(
                inputs.stream().mapToInt(ByteBuffer::remaining).sum());
        inputs.forEach(all::put);
        PackedRows packed = new PackedRows(PackedRows.pack(rows, inputs.size()), fields);
        full.add(new Batch(0, 0, null, packed, all.flip()));
        rows.clear();
        inputs.clear();
        held = 0;
    }

    @Override
    public boolean hasNext() {
        return !full.isEmpty();
    }

    @Override
    public Batch next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return full.remove();
    }
}
