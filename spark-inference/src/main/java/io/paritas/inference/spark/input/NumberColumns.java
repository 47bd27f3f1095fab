/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Numeric columns, one for each value of the input. */
record NumberColumns(ModelInput input, List<NumberGetter> numbers) implements ColumnReader {
    private static final long serialVersionUID = 1;

    NumberColumns {
        numbers = List.copyOf(numbers);
    }

    @Override
    public void read(SpecializedGetters row, int[] places, ByteBuffer into) {
        float[] values = new float[places.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = numbers.get(i).get(row, places[i]);
        }
        input.put(values, into);
    }
}
