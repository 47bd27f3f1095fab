/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;

/** Batches of rows that come one by one. There is a next one if it is full, or if no row will come any more. */
final class GatheredRows implements Iterator<Batch> {
    private final BatchLimit limit;
    private final int fields;
    private final Queue<Batch> full = new ArrayDeque<>();
    private List<byte[]> rows = new ArrayList<>();
    private List<ByteBuffer> inputs = new ArrayList<>();
    private long held;

    GatheredRows(RowPlan plan) {
        this.limit = plan.batch();
        this.fields = plan.columns().length();
    }

    /**
     * Adds a row.
     *
     * @param columns its columns
     * @param input its input, copied
     */
    void add(byte[] columns, ByteBuffer input) {
        rows.add(columns);
        ByteBuffer copy = ByteBuffer.allocate(input.remaining());
        inputs.add(copy.put(input).flip());
        held += columns.length + copy.remaining();
        if (limit.isReached(rows.size(), held)) {
            finish();
        }
    }

    /** No row will come any more. */
    void end() {
        if (!rows.isEmpty()) {
            finish();
        }
    }

    private void finish() {
        ByteBuffer all = ByteBuffer.allocate(
                inputs.stream().mapToInt(ByteBuffer::remaining).sum());
        inputs.forEach(all::put);
        PackedRows packed = new PackedRows(PackedRows.pack(rows, List.of()), fields);
        full.add(new Batch(0, 0, null, packed, all.flip()));
        rows = new ArrayList<>();
        inputs = new ArrayList<>();
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
