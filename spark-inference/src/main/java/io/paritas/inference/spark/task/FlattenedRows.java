/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;

/** The rows of answered batches, one after the other. */
final class FlattenedRows implements Iterator<InternalRow> {
    private final Iterator<AnsweredBatch> batches;
    private final RowWriter writer;
    private final TaskContext task;
    private Iterator<InternalRow> rows = Collections.emptyIterator();

    FlattenedRows(Iterator<AnsweredBatch> batches, RowWriter writer, TaskContext task) {
        this.batches = batches;
        this.writer = writer;
        this.task = task;
    }

    @Override
    public boolean hasNext() {
        while (!rows.hasNext()) {
            task.killTaskIfInterrupted();
            if (!batches.hasNext()) {
                return false;
            }
            rows = writer.rows(batches.next());
        }
        return true;
    }

    @Override
    public InternalRow next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return rows.next();
    }
}
