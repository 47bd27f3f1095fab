/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Model;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.spark.settings.BinaryContent;
import io.paritas.inference.spark.settings.ChannelOrder;
import io.paritas.inference.spark.settings.ImageLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScalingTest {
    private static final TensorSpec IMAGE = new TensorSpec("input", List.of(3, 1, 2));
    private static final TensorSpec LIST = new TensorSpec("input", List.of(4));

    private static InputFormat format(float scale, List<Float> mean, List<Float> std) {
        return new InputFormat(BinaryContent.UINT8, ImageLayout.NCHW, ChannelOrder.RGB, scale, mean, std);
    }

    /** Numbers as they cross the exchange. */
    private static ByteBuffer raw(Element element, float... values) {
        ByteBuffer raw = ByteBuffer.allocate(values.length * element.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            switch (element) {
                case UINT8 -> raw.put((byte) value);
                case UINT16 -> raw.putShort((short) (int) value);
                case FLOAT32 -> raw.putFloat(value);
            }
        }
        return raw.flip().order(ByteOrder.BIG_ENDIAN);
    }

    private static float[] apply(Scaling scaling, Element element, int rows, double weight, float... values) {
        ByteBuffer raw = raw(element, values);
        FloatBuffer out = Model.direct(values.length + 1).put(-1);
        scaling.apply(element, raw, rows, weight, out);
        assertThat(raw.hasRemaining()).isFalse();
        assertThat(out.hasRemaining()).isFalse();
        assertThat(out.get(0)).isEqualTo(-1);
        float[] result = new float[values.length];
        out.get(1, result);
        return result;
    }

    @ParameterizedTest
    @EnumSource(Element.class)
    void oneMeanIsForAllChannels(Element element) {
        Scaling scaling = Scaling.of(LIST, format(0.5f, List.of(10f), List.of(2f)));
        // (8 / 2 - 10) / 2, (0 - 10) / 2, (40 / 2 - 10) / 2, (255 / 2 - 10) / 2
        assertThat(apply(scaling, element, 1, 1, 8, 0, 40, 255)).containsExactly(-3, -5, 5, 58.75f);
    }

    @ParameterizedTest
    @EnumSource(Element.class)
    void channelsHaveTheirOwn(Element element) {
        Scaling scaling = Scaling.of(IMAGE, format(2, List.of(0f, 4f, 8f), List.of(1f, 2f, 4f)));
        assertThat(apply(scaling, element, 2, 1, 0, 1, 2, 3, 4, 5, 200, 201, 202, 203, 204, 205))
                .containsExactly(0, 2, 0, 1, 0, 0.5f, 400, 402, 200, 201, 100, 100.5f);
    }

    @Test
    void oneOfTheTwoMayBeForEachChannel() {
        Scaling scaling = Scaling.of(IMAGE, format(1, List.of(1f), List.of(1f, 2f, 4f)));
        assertThat(apply(scaling, Element.UINT8, 1, 1, 1, 5, 1, 5, 1, 5)).containsExactly(0, 4, 0, 2, 0, 1);
    }

    @Test
    void aSumOfTwoBytesGoesUpToItsWidth() {
        Scaling scaling = Scaling.of(LIST, format(1, List.of(1f), List.of(5f)));
        // the sum of 257 inputs: (65535 - 257 * 1) / 5
        assertThat(apply(scaling, Element.UINT16, 1, 257, 65535, 257, 32768, 32767))
                .containsExactly(13055.6f, 0, 6502.2f, 6502);
    }

    @Test
    void scalingASumIsTheSumOfTheScaled() {
        Scaling scaling = Scaling.of(LIST, format(2, List.of(6f), List.of(4f)));
        assertThat(apply(scaling, Element.FLOAT32, 1, 1, 1, 3, 5, 7)).containsExactly(-1, 0, 1, 2);
        assertThat(apply(scaling, Element.FLOAT32, 1, 1, 11, 9, 13, 3)).containsExactly(4, 3, 5, 0);
        // one of the first and three of the second: the weights' sum is 4
        assertThat(apply(scaling, Element.FLOAT32, 1, 4, 34, 30, 44, 16)).containsExactly(11, 9, 16, 2);
        // half of each
        assertThat(apply(scaling, Element.FLOAT32, 1, 1, 6, 6, 9, 5)).containsExactly(1.5f, 1.5f, 3, 1);
    }

    @ParameterizedTest
    @EnumSource(Element.class)
    void nothingToDoIsACopy(Element element) {
        Scaling scaling = Scaling.of(IMAGE, format(1, List.of(0f, 0f, 0f), List.of(1f)));
        assertThat(apply(scaling, element, 1, 7, 0, 127, 128, 255, 1, 2)).containsExactly(0, 127, 128, 255, 1, 2);
    }

    @Test
    void whatIsNoNumberStaysNone() {
        Scaling scaling = Scaling.of(LIST, format(2, List.of(1f), List.of(1f)));
        assertThat(apply(scaling, Element.FLOAT32, 1, 1, Float.NaN, Float.NEGATIVE_INFINITY, 1, Float.MAX_VALUE))
                .containsExactly(Float.NaN, Float.NEGATIVE_INFINITY, 1, Float.POSITIVE_INFINITY);
        assertThat(apply(Scaling.of(LIST, InputFormat.DEFAULT), Element.FLOAT32, 1, 1, Float.NaN, -0f, 1e-45f, 1))
                .containsExactly(Float.NaN, -0f, 1e-45f, 1);
    }

    @ParameterizedTest
    @EnumSource(Element.class)
    void manyValuesAreAsOne(Element element) {
        Random random = new Random(5);
        TensorSpec large = new TensorSpec("input", List.of(2, 59, 71));
        InputFormat format = format(1 / 255f, List.of(0.4f, 0.5f), List.of(0.2f, 0.3f));
        float[] values = new float[3 * large.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextInt(256);
        }
        float[] scaled = apply(Scaling.of(large, format), element, 3, 1, values);
        for (int i = 0; i < values.length; i++) {
            int channel = i / (59 * 71) % 2;
            float expected = (values[i] / 255 - format.mean().get(channel))
                    / format.std().get(channel);
            assertThat(scaled[i]).isCloseTo(expected, within(2e-6f));
        }
    }

    @Test
    void noRowsAreNoValues() {
        assertThat(apply(Scaling.of(LIST, InputFormat.DEFAULT), Element.UINT8, 0, 1))
                .isEmpty();
    }

    @Test
    void directBuffersAndThoseInTheMiddleAreRead() {
        ByteBuffer raw = ByteBuffer.allocateDirect(10).put(2, (byte) 200).put(5, (byte) 100);
        FloatBuffer out = Model.direct(4);
        Scaling.of(LIST, format(0.5f, List.of(0f), List.of(1f))).apply(Element.UINT8, raw.position(2), 1, 1, out);
        assertThat(raw.position()).isEqualTo(6);
        assertThat(out.get(0)).isEqualTo(100);
        assertThat(out.get(3)).isEqualTo(50);
    }

    @Test
    void refusesOtherNumbersOfMeans() {
        assertThatThrownBy(() -> Scaling.of(IMAGE, format(1, List.of(1f, 2f), List.of(1f))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spark.paritas.input.mean must have one value, or one for each channel, for the input"
                        + " input (3, 1, 2), got 2: [1.0, 2.0]");
        assertThatThrownBy(() -> Scaling.of(LIST, format(1, List.of(1f), List.of(1f, 2f, 3f, 4f))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spark.paritas.input.std must have one value for the input input (4), got 4:"
                        + " [1.0, 2.0, 3.0, 4.0]");
    }
}
