/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreSettingsTest {
    @Test
    void hasDefaults() {
        assertThat(StoreSettings.of(new SparkConf(false)))
                .isEqualTo(new StoreSettings(
                        Duration.ofSeconds(5), true, Duration.ofSeconds(10), Duration.ofMinutes(1), 0));
    }

    @Test
    void readsTimesAndSizesAsSparkWritesThem() {
        SparkConf conf = new SparkConf(false)
                .set("spark.paritas.ec.fetchTimeout", "750ms")
                .set("spark.paritas.ec.repair.enabled", "False")
                .set("spark.paritas.ec.repair.delay", "0s")
                .set("spark.paritas.ec.repair.interval", "2h")
                .set("spark.paritas.ec.repair.bytesPerSecond", "64m");
        assertThat(StoreSettings.of(conf))
                .isEqualTo(
                        new StoreSettings(Duration.ofMillis(750), false, Duration.ZERO, Duration.ofHours(2), 64 << 20));
    }

    @ParameterizedTest
    @CsvSource({
        "fetchTimeout, 0s, 'a duration of at least 1ms with a unit from us to d, such as 200ms, 5s or 1min'",
        "fetchTimeout, soon, 'a duration of at least 1ms with a unit from us to d, such as 200ms, 5s or 1min'",
        "repair.enabled, yes, true or false",
        "repair.delay, -1s, '0 or a duration with a unit from us to d, such as 200ms, 5s or 1min'",
        "fetchTimeout, 999us, 'a duration of at least 1ms with a unit from us to d, such as 200ms, 5s or 1min'",
        "repair.interval, 0, 'a duration of at least 1ms with a unit from us to d, such as 200ms, 5s or 1min'",
        "repair.interval, 999us, 'a duration of at least 1ms with a unit from us to d, such as 200ms, 5s or 1min'",
        "repair.bytesPerSecond, fast, 'a number of bytes of at least 0, such as 64k or 16m'",
        "repair.bytesPerSecond, 1.5m, 'a number of bytes of at least 0, such as 64k or 16m'"
    })
    void refusesOtherValues(String setting, String value, String allowed) {
        String key = "spark.paritas.ec." + setting;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoreSettings.of(new SparkConf(false).set(key, value)))
                .withMessage(key + " must be " + allowed + ", got '" + value + "'");
    }
}
