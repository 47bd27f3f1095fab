/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;

/**
 * The samples of a partition in batches, in order; the last batch may be smaller. The iterator of rows may reuse one row, as
 * Spark's do. Not thread-safe.
 */
public final class MiniBatches implements Iterator<MiniBatch> {
    /** Spark makes a new array of them each time. */
    private static final String[] NAMES = Samples.SCHEMA.fieldNames();

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
     * @param rows rows of {@link Samples#internalRows}
     * @param size samples in a batch
     * @param denseFeatures dense numbers of a sample
     * @param tables embedding tables, which bound the ids
     */
    public MiniBatches(Iterator<InternalRow> rows, int size, int denseFeatures, Tables tables) {
        if (size < 1) {
            throw new IllegalArgumentException("a batch must have at least 1 sample, got " + size);
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

    /**
     * @throws IllegalArgumentException if a sample has nulls, numbers that are not finite, another number of dense numbers, or
     *     an id that no table has
     */
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
        for (int column = 0; column < NAMES.length; column++) {
            require(!row.isNullAt(column), "its column %s is null", NAMES[column]);
        }
        labels[sample] = row.getFloat(0);
        require(labels[sample] == 0 || labels[sample] == 1, "its label must be 0 or 1, got %s", labels[sample]);
        float[] numbers = withoutNulls(row.getArray(1), 1).toFloatArray();
        require(
                numbers.length == denseFeatures,
                "it must have %s dense numbers, got %s",
                denseFeatures,
                numbers.length);
        for (float number : numbers) {
            require(Float.isFinite(number), "its dense numbers must be finite, got %s", number);
        }
        System.arraycopy(numbers, 0, dense, sample * denseFeatures, denseFeatures);
        add(withoutNulls(row.getArray(2), 2).toLongArray(), sample);
    }

    private void add(long[] ids, int sample) {
        for (long id : ids) {
            require(id >= 0 && id < tables.rows(), "its ids must be 0 to %s, got %s", tables.rows() - 1, id);
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
            require(!values.isNullAt(i), "its column %s has a null", NAMES[column]);
        }
        return values;
    }

    private void require(boolean rule, String problem, Object... values) {
        if (!rule) {
            throw new IllegalArgumentException("sample " + read + " of the partition is invalid, "
                    + String.format(Locale.ROOT, problem, values) + ": correct it or filter it out");
        }
    }
}
