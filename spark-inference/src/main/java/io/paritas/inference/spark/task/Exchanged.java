/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.driver.Layout;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Batches that {@link CodingGroups} formed and an exchange has placed. A unit's data is the partition of that number; its parity
 * j, which is seldom computed, is the one 1 + j times the number of units behind it.
 *
 * @param layout of the units
 * @param fields columns that are kept
 */
record Exchanged(Layout layout, int fields) implements UnitSource {
    private static final long serialVersionUID = 1;

    @Override
    public List<Integer> partitions(int unit) {
        return IntStream.rangeClosed(0, layout.r())
                .mapToObj(part -> part * layout.units() + unit)
                .toList();
    }

    @Override
    public boolean opensAll() {
        return true;
    }

    @Override
    public Iterator<Batch> data(int unit, IntFunction<Iterator<InternalRow>> rows) {
        return batches(rows.apply(0));
    }

    @Override
    public Iterator<Batch> parity(int unit, int parity, IntFunction<Iterator<InternalRow>> rows) {
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
