/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.nio.ByteBuffer;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Forms batches from rows, in their order. The inputs of a batch are valid until the next one is taken. The rows' memory is given
 * back at their end, as a task may read many partitions.
 */
final class Batches implements Iterator<Batch> {
    private final Iterator<InternalRow> rows;
    private final RowCollector collector;
    private final int fields;
    private final int slot;
    private long group;

    /**
     * Creates batches of data.
     *
     * @param firstGroup group of the first batch; the others count on from it
     * @param slot slot of all batches
     */
    Batches(Iterator<InternalRow> rows, RowPlan plan, long firstGroup, int slot, TaskContext task) {
        this.rows = rows;
        this.collector = new RowCollector(plan, plan.batch(), task);
        this.fields = plan.columns().length();
        this.group = firstGroup;
        this.slot = slot;
    }

    /** The same batches with inputs that stay valid, for whoever needs them when the next one is taken. */
    static Iterator<Batch> copied(Iterator<Batch> batches) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return batches.hasNext();
            }

            @Override
            public Batch next() {
                Batch batch = batches.next();
                ByteBuffer inputs = ByteBuffer.allocate(batch.inputs().remaining());
                inputs.put(batch.inputs().duplicate()).flip();
                return new Batch(batch.group(), batch.slot(), batch.shape(), batch.rows(), inputs);
            }
        };
    }

    @Override
    public boolean hasNext() {
        if (rows.hasNext()) {
            return true;
        }
        collector.close();
        return false;
    }

    @Override
    public Batch next() {
        collector.clear();
        while (rows.hasNext() && !collector.full()) {
            collector.add(rows.next());
        }
        int count = collector.accepted();
        byte[] packed = collector.takeRowsAndRejected(count);
        ByteBuffer inputs = collector.inputs(0, count);
        return new Batch(group++, slot, null, new PackedRows(packed, fields), inputs);
    }
}
