/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.inference.recommend.data.Tables;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** All embedding rows, in the memory of the driver. */
final class TableRows {
    private TableRows() {}

    /**
     * Reads the rows, partition by partition.
     *
     * @param rows with the columns of {@link TrainedModel#ROWS}
     * @return for each table its rows, one after the other
     * @throws IllegalStateException if an id has no row, or a row of another length
     */
    static List<float[]> of(DlrmShape shape, Dataset<Row> rows) {
        Tables tables = shape.tables();
        int width = shape.dimension();
        List<float[]> values = IntStream.range(0, tables.count())
                .mapToObj(table -> new float[Math.toIntExact(Math.multiplyExact(tables.rows(table), width))])
                .toList();
        BitSet found = new BitSet();
        Iterator<Row> all = rows.toLocalIterator();
        while (all.hasNext()) {
            Row row = all.next();
            long id = row.getLong(0);
            List<Float> numbers = row.getList(1);
            if (id < 0 || id >= tables.rows() || numbers.size() != width) {
                throw new IllegalStateException("embedding rows must have ids from 0 to " + (tables.rows() - 1)
                        + " and " + width + " numbers, got id " + id + " with " + numbers.size() + " numbers");
            }
            int table = tables.table(id);
            int offset = Math.toIntExact((id - tables.first(table)) * width);
            for (int i = 0; i < width; i++) {
                values.get(table)[offset + i] = numbers.get(i);
            }
            found.set(Math.toIntExact(id));
        }
        if (found.cardinality() < tables.rows()) {
            throw new IllegalStateException("each of " + tables.rows() + " ids must have an embedding row, id "
                    + found.nextClearBit(0) + " has none");
        }
        return values;
    }
}
