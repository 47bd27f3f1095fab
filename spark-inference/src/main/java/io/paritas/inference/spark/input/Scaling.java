/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import io.paritas.inference.StoredRows;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.spark.settings.InputSettings;
import io.paritas.settings.Setting;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Scales values: (value · scale − mean) / std for each channel. This is affine: applied to a weighted sum of inputs,
 * together with the sum of the weights, it returns the weighted sum of the scaled inputs. Immutable and thread-safe.
 */
public final class Scaling implements Serializable {
    private static final long serialVersionUID = 1;

    /** Number of values of a block: few enough for the innermost cache. */
    private static final int BLOCK = 2048;

    /* One for all channels, or one for each. */
    private final double[] factors;
    private final double[] offsets;
    private final int size;

    private Scaling(double[] factors, double[] offsets, int size) {
        this.factors = factors;
        this.offsets = offsets;
        this.size = size;
    }

    /** Returns a scaling that leaves rows of {@code size} values unchanged. */
    public static Scaling identity(int size) {
        return new Scaling(new double[] {1}, new double[] {0}, size);
    }

    /**
     * Returns the scaling of a format, for a model.
     *
     * @throws IllegalArgumentException if mean or std has neither one value nor one for each channel
     */
    static Scaling of(TensorSpec model, InputFormat format) {
        checkCount(InputSettings.MEAN, format.mean(), model);
        checkCount(InputSettings.STD, format.std(), model);
        int count = Math.max(format.mean().size(), format.std().size());
        double[] factors = new double[count];
        double[] offsets = new double[count];
        for (int c = 0; c < count; c++) {
            double std = of(format.std(), c);
            factors[c] = format.scale() / std;
            offsets[c] = -of(format.mean(), c) / std;
        }
        return new Scaling(factors, offsets, model.size());
    }

    private static float of(List<Float> values, int channel) {
        return values.get(values.size() == 1 ? 0 : channel);
    }

    private static void checkCount(Setting<?> setting, List<Float> values, TensorSpec model) {
        boolean image = model.shape().size() == 3;
        if (values.size() != 1 && !(image && values.size() == model.shape().get(0))) {
            String channels = image ? ", or one for each channel," : "";
            throw new IllegalArgumentException(setting.key() + " must have one value" + channels + " for the input "
                    + model + ", got " + values.size() + ": " + values);
        }
    }

    /**
     * Scales rows and appends them.
     *
     * @param element type of the raw values
     * @param raw the rows, one after the other, little-endian whatever the buffer's order; its position moves behind
     *     them
     * @param weight for rows that are weighted sums of inputs, the sum of the weights; 1 for plain inputs
     * @param out receives as many values
     */
    public void apply(Element element, ByteBuffer raw, int rows, double weight, FloatBuffer out) {
        int values = Math.multiplyExact(rows, size);
        ByteBuffer source = raw.slice(raw.position(), Math.multiplyExact(values, element.bytes()))
                .order(ByteOrder.LITTLE_ENDIAN);
        if (element == Element.FLOAT32 && isIdentity()) {
            out.put(source.asFloatBuffer());
        } else if (factors.length == 1) {
            Blocks.of(element, source).scale(values, (float) factors[0], (float) (weight * offsets[0]), out);
        } else {
            Blocks blocks = Blocks.of(element, source);
            for (int row = 0; row < rows; row++) {
                for (int c = 0; c < factors.length; c++) {
                    blocks.scale(size / factors.length, (float) factors[c], (float) (weight * offsets[c]), out);
                }
            }
        }
        raw.position(raw.position() + source.capacity());
    }

    /**
     * The rows as a model can scale them; empty if they are float32 already. The values stay where they are.
     *
     * @param raw as {@link #apply} takes it; its position stays
     * @param weight as there
     */
    public Optional<StoredRows> stored(Element element, ByteBuffer raw, int rows, double weight) {
        ByteBuffer values = raw.slice(raw.position(), Math.multiplyExact(rows, size * element.bytes()));
        return element.stored().map(type -> {
            List<Float> floats = new ArrayList<>();
            List<Float> added = new ArrayList<>();
            for (int c = 0; c < factors.length; c++) {
                floats.add((float) factors[c]);
                added.add((float) (weight * offsets[c]));
            }
            return new StoredRows(rows, type, values, floats, added);
        });
    }

    private boolean isIdentity() {
        for (int c = 0; c < factors.length; c++) {
            if (factors[c] != 1 || offsets[c] != 0) {
                return false;
            }
        }
        return true;
    }

    /** Works through values in blocks, because the compiler handles loops over arrays best. */
    private abstract static class Blocks {
        private final float[] block = new float[BLOCK];

        static Blocks of(Element element, ByteBuffer source) {
            return switch (element) {
                case UINT8 ->
                    new Blocks() {
                        private final byte[] bytes = new byte[BLOCK];

                        @Override
                        void next(float[] block, int count) {
                            source.get(bytes, 0, count);
                            for (int i = 0; i < count; i++) {
                                block[i] = bytes[i] & 0xFF;
                            }
                        }
                    };
                case UINT16 ->
                    new Blocks() {
                        private final ShortBuffer numbers = source.asShortBuffer();
                        private final short[] shorts = new short[BLOCK];

                        @Override
                        void next(float[] block, int count) {
                            numbers.get(shorts, 0, count);
                            for (int i = 0; i < count; i++) {
                                block[i] = shorts[i] & 0xFFFF;
                            }
                        }
                    };
                case FLOAT32 ->
                    new Blocks() {
                        private final FloatBuffer floats = source.asFloatBuffer();

                        @Override
                        void next(float[] block, int count) {
                            floats.get(block, 0, count);
                        }
                    };
            };
        }

        abstract void next(float[] block, int count);

        final void scale(int values, float factor, float offset, FloatBuffer out) {
            for (int done = 0; done < values; done += BLOCK) {
                int count = Math.min(BLOCK, values - done);
                next(block, count);
                scale(block, count, factor, offset);
                out.put(block, 0, count);
            }
        }

        private static void scale(float[] block, int count, float factor, float offset) {
            for (int i = 0; i < count; i++) {
                block[i] = factor * block[i] + offset;
            }
        }
    }
}
