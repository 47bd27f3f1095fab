/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** A binary column of raw values, little-endian. */
record RawBinary(String column, ModelInput input, Element element) implements ColumnReader {
    private static final long serialVersionUID = 1;

    @Override
    public void read(SpecializedGetters row, int[] places, ByteBuffer into) throws RowException {
        byte[] bytes = row.getBinary(places[0]);
        long wanted = (long) input.size() * element.bytes();
        if (bytes.length != wanted) {
            throw new RowException("column '" + column + "' must have the " + wanted + " bytes of the input "
                    + input.text() + " as " + element + ", got " + bytes.length);
        }
        if (element == Element.UINT8) {
            input.put(bytes, into);
        } else if (input.pixels()) {
            float[] values = new float[input.size()];
            ByteBuffer.wrap(bytes)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asFloatBuffer()
                    .get(values);
            input.put(values, into);
        } else {
            into.put(bytes);
        }
    }
}
