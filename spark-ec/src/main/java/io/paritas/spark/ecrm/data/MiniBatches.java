/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.data;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;

/**
 * The samples of a partition in batches, in their order; the last one may be smaller. Rows may be reused by whoever makes them,
 * as Spark does. For one thread.
 */
public final class MiniBatches implements Iterator<MiniBatch> {
    private final Iterator<InternalRow> rows;
    private final int size;
    private final int denseFeatures;
    private final Tables tables;
    private long read;

    private float[] labels;
    private float[] dense;
    private int[] starts;
    private long[] categorical;

    /**
     * @param rows of {@link Samples#internalRows}
     * @param size samples in a batch
     * @param denseFeatures how many dense numbers each sample has
     * @param tables the embedding tables, for their ids
     */
    public MiniBatches(Iterator<InternalRow> rows, int size, int denseFeatures, Tables tables) {
        if (size < 1) {
            throw new IllegalArgumentException("A batch has at least one sample; got " + size);
        }
        this.rows = rows;
        this.size = size;
        this.denseFeatures = denseFeatures;
        this.tables = tables;
    }

    @Override
    public boolean hasNext() {
        return rows.hasNext();
    }

    /** @throws IllegalArgumentException if a sample has nulls, numbers that are not finite, too few or too
     *     many of them, or an id that no table has */
    @Override
    public MiniBatch next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        labels = new float[size];
        dense = new float[Math.multiplyExact(size, denseFeatures)];
        starts = new int[size + 1];
        categorical = new long[categorical == null ? size : categorical.length];
        int samples = 0;
        while (samples < size && rows.hasNext()) {
            add(rows.next(), samples++);
            read++;
        }
        return new MiniBatch(
                Arrays.copyOf(labels, samples),
                Arrays.copyOf(dense, samples * denseFeatures),
                Arrays.copyOf(starts, samples + 1),
                Arrays.copyOf(categorical, starts[samples]));
    }

    private void add(InternalRow row, int sample) {
        for (int column = 0; column < Samples.SCHEMA.length(); column++) {
            require(
                    !row.isNullAt(column),
                    "its column %s is null",
                    Samples.SCHEMA.fieldNames()[column]);
        }
        labels[sample] = row.getFloat(0);
        require(labels[sample] == 0 || labels[sample] == 1, "its label is %s and not 0 or 1", labels[sample]);
        float[] numbers = withoutNulls(row.getArray(1), 1).toFloatArray();
        require(
                numbers.length == denseFeatures,
                "it has %s dense numbers, and the network takes %s",
                numbers.length,
                denseFeatures);
        for (float number : numbers) {
            require(Float.isFinite(number), "it has the dense number %s", number);
        }
        System.arraycopy(numbers, 0, dense, sample * denseFeatures, denseFeatures);
        add(withoutNulls(row.getArray(2), 2).toLongArray(), sample);
    }

    private void add(long[] ids, int sample) {
        for (long id : ids) {
            require(
                    id >= 0 && id < tables.rows(),
                    "it has the id %s, and the tables have rows from 0 to %s",
                    id,
                    tables.rows() - 1);
        }
        int end = Math.addExact(starts[sample], ids.length);
        if (end > categorical.length) {
            categorical = Arrays.copyOf(categorical, Math.max(end, (int) Math.min(2L * end, Integer.MAX_VALUE - 8)));
        }
        System.arraycopy(ids, 0, categorical, starts[sample], ids.length);
        starts[sample + 1] = end;
    }

    private ArrayData withoutNulls(ArrayData values, int column) {
        for (int i = 0; i < values.numElements(); i++) {
            require(
                    !values.isNullAt(i),
                    "its column %s has a null",
                    Samples.SCHEMA.fieldNames()[column]);
        }
        return values;
    }

    private void require(boolean rule, String problem, Object... values) {
        if (!rule) {
            throw new IllegalArgumentException("Sample " + read + " of the partition cannot be learned from: "
                    + String.format(problem, values) + ". Correct it, or filter it out");
        }
    }
}
