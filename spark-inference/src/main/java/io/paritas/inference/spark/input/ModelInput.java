/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import io.paritas.inference.TensorSpec;
import io.paritas.inference.spark.settings.ImageLayout;
import java.io.Serializable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * The input of a model, and the order of its values in a column. An input that is not an image has one channel and one
 * line.
 *
 * @param text the input, for messages
 * @param image whether the input has the dimensions of an image
 * @param pixels whether a column holds pixel after pixel instead of channel after channel
 */
record ModelInput(String text, boolean image, int channels, int height, int width, boolean pixels)
        implements Serializable {

    private static final long serialVersionUID = 1;

    /* Views of a buffer cost more than so many values. */
    private static final int FEW = 64;
    private static final VarHandle FLOATS =
            MethodHandles.byteArrayViewVarHandle(float[].class, ByteOrder.LITTLE_ENDIAN);

    static ModelInput of(TensorSpec model, ImageLayout layout) {
        boolean image = model.shape().size() == 3;
        boolean pixels = layout == ImageLayout.NHWC;
        return image
                ? new ModelInput(
                        model.toString(),
                        true,
                        model.shape().get(0),
                        model.shape().get(1),
                        model.shape().get(2),
                        pixels)
                : new ModelInput(model.toString(), false, 1, 1, model.size(), pixels);
    }

    /** Number of values of a row. */
    int size() {
        return channels * plane();
    }

    /** Number of values of a channel. */
    int plane() {
        return height * width;
    }

    /** Checks the number of values of a row. */
    void requireSize(String column, long values) throws RowException {
        if (values != size()) {
            throw new RowException("column '" + column + "' must have the " + size() + " values of the input " + text
                    + ", got " + values);
        }
    }

    /** Appends the values of a column, as float32, in the model's order. */
    void put(float[] values, ByteBuffer into) {
        if (values.length < FEW && !pixels && into.hasArray()) {
            putEach(values, into);
            return;
        }
        FloatBuffer floats = into.duplicate().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
        if (pixels) {
            float[] channel = new float[plane()];
            for (int c = 0; c < channels; c++) {
                for (int i = 0; i < channel.length; i++) {
                    channel[i] = values[i * channels + c];
                }
                floats.put(channel);
            }
        } else {
            floats.put(values);
        }
        into.position(into.position() + values.length * Element.FLOAT32.bytes());
    }

    private static void putEach(float[] values, ByteBuffer into) {
        byte[] bytes = into.array();
        int at = into.arrayOffset() + into.position();
        for (int i = 0; i < values.length; i++) {
            FLOATS.set(bytes, at + i * Float.BYTES, values[i]);
        }
        into.position(into.position() + values.length * Float.BYTES);
    }

    /** Appends the values of a column, as uint8, in the model's order. */
    void put(byte[] values, ByteBuffer into) {
        if (pixels) {
            byte[] channel = new byte[plane()];
            for (int c = 0; c < channels; c++) {
                for (int i = 0; i < channel.length; i++) {
                    channel[i] = values[i * channels + c];
                }
                into.put(channel);
            }
        } else {
            into.put(values);
        }
    }
}
