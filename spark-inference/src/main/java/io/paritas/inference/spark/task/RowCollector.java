/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.input.RowException;
import io.paritas.inference.spark.input.RowReader;
import io.paritas.inference.spark.settings.OnError;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;

/** Collects rows up to a capacity: their columns, and the inputs of the model. Not thread-safe. */
final class RowCollector {
    private static final int FIRST_ROWS = 16;

    private final RowReader reader;
    private final OnError onError;
    private final UnsafeProjection inputs;
    private final UnsafeProjection columns;
    private ByteBuffer bytes;
    private final int capacity;
    private final List<byte[]> accepted = new ArrayList<>();
    private final List<PackedRows.Rejected> rejected = new ArrayList<>();

    RowCollector(RowPlan plan, int capacity) {
        this.reader = plan.reader();
        this.onError = plan.onError();
        this.inputs = UnsafeProjection.create(plan.inputs());
        this.columns = UnsafeProjection.create(plan.columns());
        this.capacity = capacity;
        this.bytes = ByteBuffer.allocate(Math.multiplyExact(Math.min(capacity, FIRST_ROWS), reader.rowBytes()));
    }

    /** Adds a row. The row may change afterwards. */
    void add(InternalRow row) {
        if (bytes.remaining() < reader.rowBytes()) {
            grow();
        }
        try {
            reader.read(inputs.apply(row), bytes);
            accepted.add(columns.apply(row).copy().getBytes());
        } catch (RowException e) {
            if (onError == OnError.FAIL) {
                throw new IllegalArgumentException(
                        "a row cannot be predicted: " + e.getMessage()
                                + "; the option onError=null or onError=column keeps such rows, without a prediction",
                        e);
            }
            rejected.add(new PackedRows.Rejected(columns.apply(row).copy().getBytes(), e.getMessage()));
        }
    }

    private void grow() {
        int rows = (int) Math.min(capacity, 2L * accepted.size());
        bytes = ByteBuffer.allocate(Math.multiplyExact(rows, reader.rowBytes())).put(bytes.flip());
    }

    /** Whether there is no room for another row. */
    boolean full() {
        return accepted.size() == capacity || rejected.size() == capacity;
    }

    /** Number of accepted rows. */
    int accepted() {
        return accepted.size();
    }

    /** The columns of some of the accepted rows. */
    List<byte[]> rows(int from, int to) {
        return accepted.subList(from, to);
    }

    List<PackedRows.Rejected> rejected() {
        return rejected;
    }

    /** The inputs of some of the accepted rows. */
    ByteBuffer inputs(int from, int to) {
        return bytes.slice(from * reader.rowBytes(), (to - from) * reader.rowBytes());
    }

    void clear() {
        accepted.clear();
        rejected.clear();
        bytes.clear();
    }
}
