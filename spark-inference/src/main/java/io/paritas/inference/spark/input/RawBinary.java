/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;

/** A binary column of raw values, little-endian. */
record RawBinary(String column, ModelInput input, Element element) implements ColumnReader {
    private static final long serialVersionUID = 1;

    @Override
    public void read(SpecializedGetters row, int[] places, ByteBuffer into) throws RowException {
        if (row instanceof UnsafeRow stored && into.hasArray() && !input.pixels()) {
            /* A view, though they are no text: an array of each row would cost more than all else that is done with the row. */
            UTF8String bytes = stored.getUTF8String(places[0]);
            requireBytes(bytes.numBytes());
            bytes.writeTo(into);
            return;
        }
        byte[] bytes = row.getBinary(places[0]);
        requireBytes(bytes.length);
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

    private void requireBytes(int given) throws RowException {
        long wanted = (long) input.size() * element.bytes();
        if (given != wanted) {
            throw new RowException("column '" + column + "' must have the " + wanted + " bytes of the input "
                    + input.text() + " as " + element + ", got " + given);
        }
    }
}
