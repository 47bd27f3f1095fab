/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.PublicApi;
import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.settings.ValueType;
import io.paritas.settings.Values;
import java.util.Arrays;
import java.util.List;

/**
 * The settings of a model's input, {@code spark.paritas.input.*}: what columns hold, and (value · scale − mean) / std, which the
 * model gets. Immutable.
 */
@PublicApi
public final class InputSettings {
    static final SettingGroup GROUP = new SettingGroup("spark.paritas.input.");

    /** The shape of one row. */
    public static final Setting<List<Integer>> SHAPE = GROUP.option(
            "shape", Values.sizes(), "", "The input of one row, such as 3,32,32, for a model that does not tell it.");

    /** What a binary column holds. */
    public static final Setting<BinaryContent> TYPE = GROUP.option(
            "type",
            Values.oneOf(BinaryContent.class),
            "float32",
            "What a binary column holds: float32 (little-endian), uint8, or image (an encoded file: PNG, JPEG, GIF,"
                    + " BMP).");

    /** The order of the values of an image. */
    public static final Setting<ImageLayout> LAYOUT =
            GROUP.option("layout", Values.oneOf(ImageLayout.class), "nchw", "How a column holds images: nchw or nhwc.");

    /** The order of the channels of decoded images and image structs. */
    public static final Setting<ChannelOrder> CHANNELS = GROUP.option(
            "channels",
            Values.oneOf(ChannelOrder.class),
            "rgb",
            "In which order the model wants the channels of decoded images and image structs: rgb or bgr.");

    /** The factor of every value. */
    public static final Setting<Float> SCALE = GROUP.option(
            "scale",
            new ValueType<>("factor", "a finite number other than 0", text -> nonZero(Float.valueOf(text))),
            "1",
            "Every value of the input is multiplied by it.");

    /** What is subtracted from the scaled values. */
    public static final Setting<List<Float>> MEAN = GROUP.option(
            "mean",
            new ValueType<>("values", "finite numbers with commas between them", InputSettings::numbers),
            "0",
            "Subtracted then: one value, or one for each channel, such as 0.485,0.456,0.406.");

    /** What the values are divided by at last. */
    public static final Setting<List<Float>> STD = GROUP.option(
            "std",
            new ValueType<>("values", "finite numbers other than 0 with commas between them", text -> {
                List<Float> numbers = numbers(text);
                return numbers != null && numbers.stream().allMatch(number -> number != 0) ? numbers : null;
            }),
            "1",
            "Divided by at last: one value, or one for each channel.");

    private InputSettings() {}

    private static Float nonZero(Float number) {
        return Float.isFinite(number) && number != 0 ? number : null;
    }

    /** At least one number; null if there is another text among them. */
    private static List<Float> numbers(String text) {
        List<Float> numbers =
                Arrays.stream(text.split(",", -1)).map(Float::valueOf).toList();
        return numbers.stream().allMatch(Float::isFinite) ? numbers : null;
    }
}
