/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.driver.Layout;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Batches that {@link CodingGroups} formed and an exchange placed. The data of segment s is partition s. Its parity j,
 * which is seldom read, is partition (1 + j) · segments + s.
 *
 * @param layout layout of the segments
 * @param fields number of columns that are kept
 */
record ExchangedBatches(Layout layout, int fields) implements SegmentSource {
    private static final long serialVersionUID = 1;

    @Override
    public List<Integer> partitions(int segment) {
        return IntStream.rangeClosed(0, layout.r())
                .mapToObj(part -> part * layout.segments() + segment)
                .toList();
    }

    @Override
    public boolean opensAll() {
        return true;
    }

    @Override
    public Iterator<Batch> data(int segment, IntFunction<Iterator<InternalRow>> rows) {
        return batches(rows.apply(0));
    }

    @Override
    public Iterator<Batch> parity(int segment, int parity, IntFunction<Iterator<InternalRow>> rows) {
        return batches(rows.apply(1 + parity));
    }

    private Iterator<Batch> batches(Iterator<InternalRow> records) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return records.hasNext();
            }

            @Override
            public Batch next() {
                return Batch.of(records.next(), layout.k(), fields);
            }
        };
    }
}
