/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.spark.settings.BinaryContent;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.InputSettings;
import io.paritas.settings.Setting;
import java.time.Duration;
import java.util.List;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Test;

class OptionTextTest {
    private static <T> void isReadAgain(Setting<T> setting, T value) {
        assertThat(setting.parse(OptionText.of(value))).isEqualTo(value);
    }

    @Test
    void valuesAreReadAgain() {
        isReadAgain(CodedSettings.DEADLINE, Duration.ZERO);
        isReadAgain(CodedSettings.DEADLINE, Duration.ofMillis(1500));
        isReadAgain(CodedSettings.DEADLINE, Duration.ofMinutes(3));
        isReadAgain(CodedSettings.DEADLINE, Duration.ofNanos(7_000));
        isReadAgain(CodedSettings.PATIENCE, 1e6);
        isReadAgain(CodedSettings.SEGMENTS, 9);
        isReadAgain(EngineSettings.NAME, "libtorch");
        isReadAgain(InputSettings.TYPE, BinaryContent.IMAGE);
        isReadAgain(InputSettings.SHAPE, List.of(3, 32, 32));
        isReadAgain(InputSettings.SHAPE, List.of());
        isReadAgain(InputSettings.SCALE, 1 / 255f);
        isReadAgain(InputSettings.MEAN, List.of(0.485f, 0.456f, 0.406f));
    }

    @Test
    void settingsOfSessionsAreNoOptions() {
        Predict call = Predict.plain("model.onnx", functions.lit(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> call.option(CodedSettings.ENABLED, false))
                .withMessage("a setting must be an option of a call, got spark.paritas.coded.enabled: set it in the"
                        + " session");
    }
}
