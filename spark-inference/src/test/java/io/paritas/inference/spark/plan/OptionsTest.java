/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.Device;
import io.paritas.inference.spark.settings.CallSettings;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.InputSettings;
import io.paritas.settings.Setting;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.internal.SQLConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.runtime.AbstractFunction0;

class OptionsTest {
    private static <T> T read(Setting<T> setting, String value) {
        return of(Map.of(setting.option().orElseThrow(), value)).get(setting);
    }

    private static Options of(Map<String, String> given) {
        return Options.of(Kind.PLAIN, given, Options.ofSession());
    }

    private static List<Setting<?>> settings() {
        return CallSettings.all();
    }

    /** What holds in a session with that value of a setting. */
    private static Options inSession(Setting<?> setting, String value, Map<String, String> given) {
        SQLConf session = new SQLConf();
        session.setConfString(setting.key(), value);
        return SQLConf.withExistingConf(session, new AbstractFunction0<>() {
            @Override
            public Options apply() {
                return of(given);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("settings")
    void nothingGivenIsTheDefault(Setting<?> setting) {
        assertThat(of(Map.of()).get(setting)).isEqualTo(setting.defaultValue());
    }

    @ParameterizedTest
    @MethodSource("settings")
    void anOptionHoldsBeforeTheSessionAndTheSessionBeforeTheDefault(Setting<?> setting) {
        assertThat(inSession(setting, " here ", Map.of()).text(setting.key())).isEqualTo(" here ");
        if (setting.option().isPresent()) {
            String option = setting.option().get();
            for (String name : List.of(option, option.toUpperCase(Locale.ROOT))) {
                assertThat(inSession(setting, "here", Map.of(name, "there")).text(setting.key()))
                        .isEqualTo("there");
            }
        }
    }

    @Test
    void everyOptionHasANameOfItsOwn() {
        assertThat(CallSettings.options())
                .hasSize(26)
                .extracting(setting -> setting.option().orElseThrow().toLowerCase(Locale.ROOT))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"rows", "", "spark.paritas.engine.batchRows", "enabled", "explain", "frozenExecutorTimeout"})
    void otherNamesAreRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> of(Map.of(name, "1")))
                .withMessageStartingWith("an option must be one of ")
                .withMessageEndingWith(", got '" + name + "'");
    }

    /** A list of all would name the right one in its middle, and many that the function refuses. */
    @Test
    void theNearestOfTheOptionsOfTheFunctionIsNamedFirst() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.of(Kind.PLAIN, Map.of("BATCHROW", "1"), Map.of()))
                .withMessage("an option must be one of batchRows, batchBytes, onError, engine, protect, protectPlan,"
                        + " device, threads, taskCpus, taskGpus, shape, type, layout, channels, scale, mean, std,"
                        + " got 'BATCHROW'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.of(Kind.CODED, Map.of("pacience", "2"), Map.of()))
                .withMessageStartingWith("an option must be one of patience, parity, r, segments, share, deadline,");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.of(Kind.CASCADE, Map.of("treshold", "0.5"), Map.of()))
                .withMessageStartingWith("an option must be one of threshold, batchRows,");
    }

    @Test
    void valuesAreRead() {
        assertThat(read(EngineSettings.THREADS, " 2 ")).isEqualTo(2);
        assertThat(read(CodedSettings.SHARE, "1")).isEqualTo(1);
        assertThat(read(CodedSettings.DEADLINE, " 1500ms")).isEqualTo(Duration.ofMillis(1500));
        assertThat(read(EngineSettings.DEVICE, "Cuda")).isEqualTo(Device.CUDA);
        assertThat(read(InputSettings.SHAPE, "3, 32,32")).containsExactly(3, 32, 32);
        assertThat(read(InputSettings.SHAPE, " ")).isEmpty();
        assertThat(inSession(CodedSettings.ENABLED, "FALSE", Map.of()).get(CodedSettings.ENABLED))
                .isFalse();
        assertThat(of(Map.of()).get(CodedSettings.ENABLED)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1.5", "2147483648", "two", ""})
    void numbersThatAreNotWholeOrTooSmall(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(EngineSettings.THREADS, value))
                .withMessage("spark.paritas.engine.threads (option threads) must be a whole number of at least 1, got '"
                        + value + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-0.1", "1.01", "NaN", "Infinity", "all", ""})
    void numbersOutsideOfTheirBounds(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(CodedSettings.SHARE, value))
                .withMessage(
                        "spark.paritas.coded.share (option share) must be a number from 0 to 1, got '" + value + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.9", "NaN", "-Infinity", "Infinity", "long"})
    void numbersBelowTheirBound(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(CodedSettings.PATIENCE, value))
                .withMessage("spark.paritas.coded.patience (option patience) must be a number of at least 1, got '"
                        + value + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"60", "-1s", "soon", ""})
    void durationsWithoutAUnit(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(CodedSettings.DEADLINE, value))
                .withMessage(
                        "spark.paritas.coded.deadline (option deadline) must be 0 or a duration with a unit from us to d,"
                                + " such as 200ms, 5s or 1min, got '" + value + "'");
    }

    @Test
    void wordsThatAreNone() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(EngineSettings.DEVICE, "tpu"))
                .withMessage("spark.paritas.engine.device (option device) must be one of auto, cpu, cuda, got 'tpu'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"3x32", "3,,32", "3,1.5", "a"})
    void sizesThatAreNone(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(InputSettings.SHAPE, value))
                .withMessage(
                        "spark.paritas.input.shape (option shape) must be positive whole numbers with commas between"
                                + " them, such as 3,32,32, got '" + value + "'");
    }

    @Test
    void neitherTrueNorFalse() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> inSession(CodedSettings.ENABLED, "yes", Map.of()).get(CodedSettings.ENABLED))
                .withMessage("spark.paritas.coded.enabled must be true or false, got 'yes'");
    }

    /** Values that are wrong are refused even where they are not used. */
    @ParameterizedTest
    @MethodSource("settings")
    void allValuesAreChecked(Setting<?> setting) {
        of(Map.of()).checkAll();
        if (setting.unit().equals("text") || setting.unit().equals("path") || setting == EngineSettings.NAME) {
            return;
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> inSession(setting, "?", Map.of()).checkAll())
                .withMessageStartingWith(setting.key())
                .withMessageEndingWith("got '?'");
    }
}
