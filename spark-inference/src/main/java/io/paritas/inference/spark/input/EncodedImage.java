/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import io.paritas.inference.data.DataException;
import io.paritas.inference.data.Images;
import io.paritas.inference.spark.settings.ChannelOrder;
import java.nio.ByteBuffer;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** A binary column with image files. */
record EncodedImage(String column, ModelInput input, ChannelOrder order) implements ColumnReader {
    private static final long serialVersionUID = 1;

    @Override
    public Element element() {
        return Element.UINT8;
    }

    @Override
    public void read(SpecializedGetters row, int[] places, ByteBuffer into) throws RowException {
        byte[] rgb;
        try {
            rgb = Images.decode(row.getBinary(places[0]), input.channels(), input.height(), input.width());
        } catch (DataException e) {
            throw new RowException("column '" + column + "': " + e.getMessage(), e);
        }
        put(rgb, input, order, into);
    }

    /** Appends an image, given as planes of red, green and blue or as one plane of gray, in the model's order. */
    static void put(byte[] image, ModelInput input, ChannelOrder order, ByteBuffer into) {
        int plane = input.plane();
        for (int c = 0; c < input.channels(); c++) {
            int channel = order == ChannelOrder.BGR ? input.channels() - 1 - c : c;
            into.put(image, channel * plane, plane);
        }
    }
}
