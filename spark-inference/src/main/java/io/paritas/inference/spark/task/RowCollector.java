/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.input.RowException;
import io.paritas.inference.spark.input.RowReader;
import io.paritas.inference.spark.settings.OnError;
import io.paritas.spark.job.QueryException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Collects rows up to a limit: their columns, and the inputs of the model. Not thread-safe. */
final class RowCollector implements AutoCloseable {
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    private final RowReader reader;
    private final OnError onError;
    private final UnsafeProjection columns;
    private final BatchLimit limit;
    private final WaitingRows acceptedRows;
    private final WaitingRows rejectedRows;
    private final List<String> reasons = new ArrayList<>();
    private ByteBuffer bytes;
    private int accepted;
    private long held;

    RowCollector(RowPlan plan, BatchLimit limit, TaskContext task) {
        this.reader = plan.reader();
        this.onError = plan.onError();
        this.columns = UnsafeProjection.create(plan.columns());
        this.limit = limit;
        this.acceptedRows = new WaitingRows(task);
        this.rejectedRows = new WaitingRows(task);
        this.bytes = ByteBuffer.allocate(reader.rowBytes());
    }

    /** Adds a row. The row may change afterwards. */
    void add(InternalRow row) {
        if (bytes.remaining() < reader.rowBytes()) {
            grow();
        }
        try {
            reader.read(row, bytes);
            keep(acceptedRows, row, reader.rowBytes());
            accepted++;
        } catch (RowException e) {
            if (onError == OnError.FAIL) {
                throw new QueryException(
                        "a row cannot be predicted: " + e.getMessage()
                                + "; the option onError=null or onError=column keeps such rows, without a prediction",
                        e);
            }
            keep(rejectedRows, row, 0);
            reasons.add(e.getMessage());
        }
    }

    private void keep(WaitingRows rows, InternalRow row, int inputBytes) {
        UnsafeRow kept = columns.apply(row);
        rows.add(kept, inputBytes);
        held += kept.getSizeInBytes() + inputBytes;
    }

    private void grow() {
        long rows = Math.min(limit.rows(), 2L * accepted);
        long size = Math.min(rows * reader.rowBytes(), MOST_BYTES);
        bytes = ByteBuffer.allocate((int) size).put(bytes.flip());
    }

    /** Whether there is no room for another row. */
    boolean full() {
        return limit.isReached(Math.max(accepted, reasons.size()), held);
    }

    /** Number of accepted rows. */
    int accepted() {
        return accepted;
    }

    /** Removes the next accepted rows, and packs them. */
    byte[] takeRows(int count) {
        return PackedRows.pack(acceptedRows, count);
    }

    /** Removes the next accepted rows and all rejected ones, and packs them. */
    byte[] takeRowsAndRejected(int count) {
        return PackedRows.pack(acceptedRows, count, rejectedRows, reasons);
    }

    /** The inputs of some of the accepted rows. */
    ByteBuffer inputs(int from, int to) {
        return bytes.slice(from * reader.rowBytes(), (to - from) * reader.rowBytes());
    }

    void clear() {
        acceptedRows.clear();
        rejectedRows.clear();
        reasons.clear();
        accepted = 0;
        held = 0;
        bytes.clear();
    }

    /** No row comes any more: gives the rows' memory back. The inputs stay as they are. */
    @Override
    public void close() {
        acceptedRows.close();
        rejectedRows.close();
    }
}
