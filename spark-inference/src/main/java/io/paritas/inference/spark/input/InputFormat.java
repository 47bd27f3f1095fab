/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import io.paritas.inference.spark.settings.BinaryContent;
import io.paritas.inference.spark.settings.ChannelOrder;
import io.paritas.inference.spark.settings.ImageLayout;
import io.paritas.inference.spark.settings.InputSettings;
import java.io.Serializable;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What columns hold, and how their values are scaled: (value · scale − mean) / std. Immutable.
 *
 * @param type content of binary columns
 * @param layout order of an image's values; encoded images and image structs have their own
 * @param channels order in which the model wants the channels of encoded images and image structs
 * @param scale factor of every value, not 0
 * @param mean one value, or one for each channel
 * @param std one value, or one for each channel; none is 0
 */
public record InputFormat(
        BinaryContent type, ImageLayout layout, ChannelOrder channels, float scale, List<Float> mean, List<Float> std)
        implements Serializable {

    private static final long serialVersionUID = 1;

    /** Float32 values in the model's order, not scaled. */
    public static final InputFormat DEFAULT = of(key -> null);

    /** Copies the lists. Their sizes are checked later, against the model. */
    public InputFormat {
        mean = List.copyOf(mean);
        std = List.copyOf(std);
    }

    /**
     * Reads {@link InputSettings}.
     *
     * @param properties finds the text given for a key; null where there is none
     * @throws IllegalArgumentException if a text breaks the rule of its setting
     */
    public static InputFormat of(UnaryOperator<String> properties) {
        return new InputFormat(
                InputSettings.TYPE.get(properties),
                InputSettings.LAYOUT.get(properties),
                InputSettings.CHANNELS.get(properties),
                InputSettings.SCALE.get(properties),
                InputSettings.MEAN.get(properties),
                InputSettings.STD.get(properties));
    }
}
