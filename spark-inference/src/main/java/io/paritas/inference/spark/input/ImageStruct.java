/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import io.paritas.inference.data.DataException;
import io.paritas.inference.data.Images;
import io.paritas.inference.spark.settings.ChannelOrder;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.StructType;

/**
 * An image of Spark's image source: a struct of height, width, nChannels, mode (OpenCV's type) and data. The data holds
 * one pixel after the other, each as blue, green and red.
 *
 * @param fields number of fields of the struct
 * @param members positions of those five in the struct
 */
record ImageStruct(String column, ModelInput input, ChannelOrder order, int fields, List<Integer> members)
        implements ColumnReader {

    private static final long serialVersionUID = 1;

    private static final List<String> NAMES = List.of("height", "width", "nChannels", "mode", "data");
    private static final int DATA = 4;

    ImageStruct {
        members = List.copyOf(members);
    }

    /** Returns a reader; empty if the struct lacks one of those fields. */
    static Optional<ColumnReader> of(String column, ModelInput input, ChannelOrder order, StructType type) {
        List<String> present = Arrays.asList(type.fieldNames());
        if (!present.containsAll(NAMES)) {
            return Optional.empty();
        }
        List<Integer> places = NAMES.stream().map(type::fieldIndex).toList();
        for (int i = 0; i < NAMES.size(); i++) {
            DataType field = type.fields()[places.get(i)].dataType();
            if (i == DATA ? !(field instanceof BinaryType) : !(field instanceof IntegerType)) {
                return Optional.empty();
            }
        }
        return Optional.of(new ImageStruct(column, input, order, present.size(), places));
    }

    @Override
    public Element element() {
        return Element.UINT8;
    }

    @Override
    public void read(SpecializedGetters row, int[] places, ByteBuffer into) throws RowException {
        InternalRow image = row.getStruct(places[0], fields);
        for (int member : members) {
            if (image.isNullAt(member)) {
                throw new RowException("column '" + column + "' must have an image, the field "
                        + NAMES.get(members.indexOf(member)) + " is null");
            }
        }
        int height = image.getInt(members.get(0));
        int width = image.getInt(members.get(1));
        int channels = image.getInt(members.get(2));
        int mode = image.getInt(members.get(3));
        byte[] data = image.getBinary(members.get(DATA));
        boolean known = (channels == 1 || channels == 3 || channels == 4) && mode == 8 * (channels - 1);
        if (!known || height < 1 || width < 1 || (long) height * width * channels != data.length) {
            throw new RowException("column '" + column
                    + "' must have images of height x width x nChannels bytes, with 1, 3 or 4 channels"
                    + " and the mode 0, 16 or 24; got " + height + "x" + width + "x" + channels + ", mode " + mode
                    + " and " + data.length + " bytes");
        }
        byte[] chw = input.channels() == 1 ? gray(data, channels) : rgb(data, channels);
        byte[] resized;
        try {
            resized = Images.resize(chw, input.channels(), height, width, input.height(), input.width());
        } catch (DataException e) {
            throw new RowException("column '" + column + "': " + e.getMessage(), e);
        }
        EncodedImage.put(resized, input, order, into);
    }

    private static byte[] gray(byte[] data, int channels) {
        if (channels == 1) {
            return data;
        }
        byte[] gray = new byte[data.length / channels];
        for (int i = 0; i < gray.length; i++) {
            int at = i * channels;
            gray[i] = (byte) Images.luma(data[at + 2] & 0xFF, data[at + 1] & 0xFF, data[at] & 0xFF);
        }
        return gray;
    }

    private static byte[] rgb(byte[] data, int channels) {
        int plane = data.length / channels;
        byte[] rgb = new byte[3 * plane];
        for (int c = 0; c < 3; c++) {
            int channel = channels == 1 ? 0 : 2 - c;
            for (int i = 0; i < plane; i++) {
                rgb[c * plane + i] = data[i * channels + channel];
            }
        }
        return rgb;
    }
}
