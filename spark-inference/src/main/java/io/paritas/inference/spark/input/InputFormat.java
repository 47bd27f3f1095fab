/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import io.paritas.inference.spark.SparkSetting;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What columns hold, and what is done to their values: (value · scale − mean) / std. Immutable.
 *
 * @param type of binary columns
 * @param layout of the values of an image; encoded images and image structs have their own
 * @param channels order in which the model wants the channels of encoded images and image structs
 * @param scale factor of every value
 * @param mean one value, or one for each channel
 * @param std one value, or one for each channel; none is 0
 */
public record InputFormat(
        BinaryType type, Layout layout, Channels channels, float scale, List<Float> mean, List<Float> std)
        implements Serializable {

    private static final long serialVersionUID = 1;

    /** Float32, as the model wants it. */
    public static final InputFormat DEFAULT =
            new InputFormat(BinaryType.FLOAT32, Layout.NCHW, Channels.RGB, 1, List.of(0f), List.of(1f));

    /** What a binary column holds. */
    public enum BinaryType {
        /** Values of 4 bytes, little-endian. */
        FLOAT32,
        /** Values of one unsigned byte. */
        UINT8,
        /** An image file. */
        IMAGE
    }

    /** In which order the values of an image lie. */
    public enum Layout {
        /** One channel after the other, as models want it. */
        NCHW,
        /** One pixel after the other. */
        NHWC
    }

    /** The order of the channels of a colour image. */
    public enum Channels {
        RGB,
        BGR
    }

    /** Checks the numbers; how many means there must be is known with the model. */
    public InputFormat {
        mean = List.copyOf(mean);
        std = List.copyOf(std);
        check(SparkSetting.SCALE, Float.isFinite(scale) && scale != 0, "a finite number other than 0", scale);
        check(SparkSetting.MEAN, numbers(mean), "one or more finite numbers", mean);
        check(
                SparkSetting.STD,
                numbers(std) && std.stream().noneMatch(value -> value == 0),
                "one or more finite numbers other than 0",
                std);
    }

    /**
     * Reads option texts; the case of words does not matter.
     *
     * @param values the text of each setting: {@code nhwc}, or {@code 0.485,0.456,0.406}
     * @throws IllegalArgumentException if a text is not among what is allowed
     */
    public static InputFormat parse(Function<SparkSetting, String> values) {
        return new InputFormat(
                word(BinaryType.class, SparkSetting.TYPE, values),
                word(Layout.class, SparkSetting.LAYOUT, values),
                word(Channels.class, SparkSetting.CHANNELS, values),
                number(SparkSetting.SCALE, values.apply(SparkSetting.SCALE)),
                list(SparkSetting.MEAN, values.apply(SparkSetting.MEAN)),
                list(SparkSetting.STD, values.apply(SparkSetting.STD)));
    }

    private static <E extends Enum<E>> E word(
            Class<E> words, SparkSetting setting, Function<SparkSetting, String> values) {
        String text = values.apply(setting);
        for (E word : words.getEnumConstants()) {
            if (word.name().equalsIgnoreCase(text.strip())) {
                return word;
            }
        }
        String allowed = Arrays.stream(words.getEnumConstants())
                .map(word -> word.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
        throw refusal(setting, "one of " + allowed, "'" + text + "'");
    }

    private static List<Float> list(SparkSetting setting, String text) {
        List<Float> values = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            values.add(number(setting, part));
        }
        return values;
    }

    private static float number(SparkSetting setting, String text) {
        try {
            return Float.parseFloat(text);
        } catch (NumberFormatException e) {
            String allowed = setting == SparkSetting.SCALE ? "a number" : "one number, or several with commas between";
            throw refusal(setting, allowed, "'" + text + "'");
        }
    }

    private static boolean numbers(List<Float> values) {
        return !values.isEmpty() && values.stream().allMatch(Float::isFinite);
    }

    private static void check(SparkSetting setting, boolean fine, String allowed, Object value) {
        if (!fine) {
            throw refusal(setting, allowed, value);
        }
    }

    private static IllegalArgumentException refusal(SparkSetting setting, String allowed, Object value) {
        return new IllegalArgumentException(setting.key() + " must be " + allowed + ", got " + value);
    }
}
