/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.Device;
import io.paritas.inference.spark.SparkSetting;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.internal.SQLConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.runtime.AbstractFunction0;

class OptionsTest {
    private static Options with(SparkSetting setting, String value) {
        return Options.of(Map.of(setting.option(), value));
    }

    /** What holds in a session with that value of a setting. */
    private static Options inSession(SparkSetting setting, String value, Map<String, String> given) {
        SQLConf session = new SQLConf();
        session.setConfString(setting.key(), value);
        return SQLConf.withExistingConf(session, new AbstractFunction0<>() {
            @Override
            public Options apply() {
                return Options.of(given);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(SparkSetting.class)
    void nothingGivenIsTheDefault(SparkSetting setting) {
        assertThat(Options.of(Map.of()).text(setting)).isEqualTo(setting.defaultValue());
    }

    @ParameterizedTest
    @EnumSource(SparkSetting.class)
    void anOptionHoldsBeforeTheSessionAndTheSessionBeforeTheDefault(SparkSetting setting) {
        assertThat(inSession(setting, " here ", Map.of()).text(setting)).isEqualTo("here");
        if (SparkSetting.options().contains(setting)) {
            for (String name : List.of(setting.option(), setting.option().toUpperCase(Locale.ROOT))) {
                assertThat(inSession(setting, "here", Map.of(name, " there ")).text(setting))
                        .isEqualTo("there");
            }
        }
    }

    @Test
    void everyOptionHasANameOfItsOwn() {
        assertThat(SparkSetting.options())
                .hasSize(24)
                .extracting(setting -> setting.option().toLowerCase(Locale.ROOT))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rows", "", "spark.paritas.batchRows", "enabled", "explain", "frozenExecutorTimeout"})
    void otherNamesAreRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.of(Map.of(name, "1")))
                .withMessage("there is no option '" + name + "'; there are parity, r, units, share, patience, deadline,"
                        + " minAccuracy, exchange, batchRows, onError, engine, protect, protectPlan, device, threads,"
                        + " taskCpus, taskGpus, shape, type, layout, channels, scale, mean, std");
    }

    @Test
    void valuesAreRead() {
        assertThat(with(SparkSetting.THREADS, " 2 ").whole(SparkSetting.THREADS, 1))
                .isEqualTo(2);
        assertThat(with(SparkSetting.SHARE, "1").number(SparkSetting.SHARE, 0, 1))
                .isEqualTo(1);
        assertThat(with(SparkSetting.DEVICE, "Cuda").word(SparkSetting.DEVICE, Device.class))
                .isEqualTo(Device.CUDA);
        assertThat(with(SparkSetting.SHAPE, "3, 32,32").sizes(SparkSetting.SHAPE))
                .containsExactly(3, 32, 32);
        assertThat(with(SparkSetting.SHAPE, " ").sizes(SparkSetting.SHAPE)).isEmpty();
        assertThat(inSession(SparkSetting.ENABLED, "FALSE", Map.of()).is(SparkSetting.ENABLED))
                .isFalse();
        assertThat(Options.of(Map.of()).is(SparkSetting.ENABLED)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1.5", "2147483648", "two", ""})
    void numbersThatAreNotWholeOrTooSmall(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(SparkSetting.THREADS, value).whole(SparkSetting.THREADS, 1))
                .withMessage("spark.paritas.threads (or the option threads) must be a whole number of at least 1, got '"
                        + value + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-0.1", "1.01", "NaN", "Infinity", "all", ""})
    void numbersOutsideOfTheirBounds(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(SparkSetting.SHARE, value).number(SparkSetting.SHARE, 0, 1))
                .withMessage("spark.paritas.coded.share (or the option share) must be a number from 0.0 to 1.0, got '"
                        + value + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.9", "NaN", "-Infinity", "Infinity", "long"})
    void numbersBelowTheirBound(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(SparkSetting.PATIENCE, value).number(SparkSetting.PATIENCE, 1, Double.MAX_VALUE))
                .withMessage("spark.paritas.coded.patience (or the option patience) must be a number of at least 1.0,"
                        + " got '" + value + "'");
    }

    @Test
    void wordsThatAreNone() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(SparkSetting.DEVICE, "tpu").word(SparkSetting.DEVICE, Device.class))
                .withMessage("spark.paritas.device (or the option device) must be one of auto, cpu, cuda, got 'tpu'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"3x32", "3,,32", "3,1.5", "a"})
    void sizesThatAreNone(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(SparkSetting.SHAPE, value).sizes(SparkSetting.SHAPE))
                .withMessage("spark.paritas.input.shape (or the option shape) must be whole numbers with commas between"
                        + " them, such as 3,32,32, got '" + value + "'");
    }

    @Test
    void neitherTrueNorFalse() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> inSession(SparkSetting.ENABLED, "yes", Map.of()).is(SparkSetting.ENABLED))
                .withMessage("spark.paritas.coded.enabled must be true or false, got 'yes'");
    }
}
