/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.spark.SparkSetting;
import io.paritas.inference.spark.input.InputFormat.BinaryType;
import io.paritas.inference.spark.input.InputFormat.Channels;
import io.paritas.inference.spark.input.InputFormat.Layout;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InputFormatTest {

    private static InputFormat parse(Map<SparkSetting, String> texts) {
        return InputFormat.parse(setting -> texts.getOrDefault(setting, setting.defaultValue()));
    }

    @Test
    void theDefaultsOfTheSettingsAreTheDefault() {
        assertThat(parse(Map.of())).isEqualTo(InputFormat.DEFAULT);
    }

    @Test
    void everySettingIsRead() {
        InputFormat format = parse(Map.of(
                SparkSetting.TYPE, "Image",
                SparkSetting.LAYOUT, "nhwc",
                SparkSetting.CHANNELS, " BGR",
                SparkSetting.SCALE, "0.0039",
                SparkSetting.MEAN, "0.485, 0.456,0.406",
                SparkSetting.STD, "-2"));
        assertThat(format)
                .isEqualTo(new InputFormat(
                        BinaryType.IMAGE,
                        Layout.NHWC,
                        Channels.BGR,
                        0.0039f,
                        List.of(0.485f, 0.456f, 0.406f),
                        List.of(-2f)));
    }

    @Test
    void everyWordIsKnown() {
        for (BinaryType type : BinaryType.values()) {
            assertThat(parse(Map.of(SparkSetting.TYPE, type.name())).type()).isEqualTo(type);
        }
        for (Layout layout : Layout.values()) {
            assertThat(parse(Map.of(SparkSetting.LAYOUT, layout.name())).layout())
                    .isEqualTo(layout);
        }
        for (Channels channels : Channels.values()) {
            assertThat(parse(Map.of(SparkSetting.CHANNELS, channels.name())).channels())
                    .isEqualTo(channels);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "TYPE|jpeg|spark.paritas.input.type must be one of float32, uint8, image, got 'jpeg'",
                "LAYOUT|\"\"|spark.paritas.input.layout must be one of nchw, nhwc, got ''",
                "CHANNELS|gray|spark.paritas.input.channels must be one of rgb, bgr, got 'gray'",
                "SCALE|1/255|spark.paritas.input.scale must be a number, got '1/255'",
                "SCALE|0|spark.paritas.input.scale must be a finite number other than 0, got 0.0",
                "SCALE|NaN|spark.paritas.input.scale must be a finite number other than 0, got NaN",
                "MEAN|1,,2|spark.paritas.input.mean must be one number, or several with commas between, got '1,,2'",
                "MEAN|\"\"|spark.paritas.input.mean must be one number, or several with commas between, got ''",
                "MEAN|1,1e99|spark.paritas.input.mean must be one or more finite numbers, got [1.0, Infinity]",
                "STD|1,0|spark.paritas.input.std must be one or more finite numbers other than 0, got [1.0, 0.0]",
                "STD|1;2|spark.paritas.input.std must be one number, or several with commas between, got '1;2'"
            })
    void refusesOtherTexts(SparkSetting setting, String text, String message) {
        assertThatThrownBy(() -> parse(Map.of(setting, text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
