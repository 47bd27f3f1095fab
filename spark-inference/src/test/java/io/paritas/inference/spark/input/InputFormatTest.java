/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.spark.settings.BinaryContent;
import io.paritas.inference.spark.settings.CallSettings;
import io.paritas.inference.spark.settings.ChannelOrder;
import io.paritas.inference.spark.settings.ImageLayout;
import io.paritas.inference.spark.settings.InputSettings;
import io.paritas.settings.Setting;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InputFormatTest {

    private static InputFormat parse(Map<Setting<?>, String> texts) {
        return InputFormat.of(key -> texts.entrySet().stream()
                .filter(given -> given.getKey().key().equals(key))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null));
    }

    private static Setting<?> setting(String option) {
        return CallSettings.ofOption(option).orElseThrow();
    }

    @Test
    void theDefaultsOfTheSettingsAreTheDefault() {
        assertThat(parse(Map.of())).isEqualTo(InputFormat.DEFAULT);
    }

    @Test
    void everySettingIsRead() {
        InputFormat format = parse(Map.of(
                InputSettings.TYPE, "Image",
                InputSettings.LAYOUT, "nhwc",
                InputSettings.CHANNELS, " BGR",
                InputSettings.SCALE, "0.0039",
                InputSettings.MEAN, "0.485, 0.456,0.406",
                InputSettings.STD, "-2"));
        assertThat(format)
                .isEqualTo(new InputFormat(
                        BinaryContent.IMAGE,
                        ImageLayout.NHWC,
                        ChannelOrder.BGR,
                        0.0039f,
                        List.of(0.485f, 0.456f, 0.406f),
                        List.of(-2f)));
    }

    @Test
    void everyWordIsKnown() {
        for (BinaryContent type : BinaryContent.values()) {
            assertThat(parse(Map.of(InputSettings.TYPE, type.name())).type()).isEqualTo(type);
        }
        for (ImageLayout layout : ImageLayout.values()) {
            assertThat(parse(Map.of(InputSettings.LAYOUT, layout.name())).layout())
                    .isEqualTo(layout);
        }
        for (ChannelOrder channels : ChannelOrder.values()) {
            assertThat(parse(Map.of(InputSettings.CHANNELS, channels.name())).channels())
                    .isEqualTo(channels);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "type|jpeg|spark.paritas.input.type (option type) must be one of float32, uint8, image, got 'jpeg'",
                "layout|\"\"|spark.paritas.input.layout (option layout) must be one of nchw, nhwc, got ''",
                "channels|gray|spark.paritas.input.channels (option channels) must be one of rgb, bgr, got 'gray'",
                "scale|1/255|spark.paritas.input.scale (option scale) must be a finite number other than 0, got"
                        + " '1/255'",
                "scale|0|spark.paritas.input.scale (option scale) must be a finite number other than 0, got '0'",
                "scale|NaN|spark.paritas.input.scale (option scale) must be a finite number other than 0, got 'NaN'",
                "mean|1,,2|spark.paritas.input.mean (option mean) must be finite numbers with commas between them, got"
                        + " '1,,2'",
                "mean|\"\"|spark.paritas.input.mean (option mean) must be finite numbers with commas between them, got"
                        + " ''",
                "mean|1,1e99|spark.paritas.input.mean (option mean) must be finite numbers with commas between them,"
                        + " got '1,1e99'",
                "std|1,0|spark.paritas.input.std (option std) must be finite numbers other than 0 with commas between"
                        + " them, got '1,0'",
                "std|1;2|spark.paritas.input.std (option std) must be finite numbers other than 0 with commas between"
                        + " them, got '1;2'"
            })
    void refusesOtherTexts(String option, String text, String message) {
        assertThatThrownBy(() -> parse(Map.of(setting(option), text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
