/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.ModelException;
import io.paritas.spark.job.QueryException;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;

/** The rows of answered batches, one after the other. A model that fails is what the query fails of. */
final class FlattenedRows implements Iterator<InternalRow> {
    private final Iterator<AnsweredBatch> batches;
    private final RowWriter writer;
    private final TaskContext task;
    private Iterator<InternalRow> rows = Collections.emptyIterator();

    /** @param batches opens the batches, at once */
    FlattenedRows(Supplier<Iterator<AnsweredBatch>> batches, RowWriter writer, TaskContext task) {
        this.batches = forQuery(batches);
        this.writer = writer;
        this.task = task;
    }

    private static <T> T forQuery(Supplier<T> answers) {
        try {
            return answers.get();
        } catch (ModelException e) {
            throw new QueryException(e.getMessage(), e);
        }
    }

    @Override
    public boolean hasNext() {
        while (!rows.hasNext()) {
            task.killTaskIfInterrupted();
            if (!forQuery(batches::hasNext)) {
                return false;
            }
            rows = writer.rows(forQuery(batches::next));
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
