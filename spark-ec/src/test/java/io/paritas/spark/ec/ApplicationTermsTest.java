/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.spark.ec.store.Terms;
import java.time.Duration;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApplicationTermsTest {
    @Test
    void hasDefaults() {
        assertThat(ApplicationTerms.of(new SparkConf(false)))
                .isEqualTo(new Terms(Duration.ofSeconds(5), true, Duration.ofSeconds(10), Duration.ofMinutes(1), 0));
    }

    @Test
    void readsTimesAndSizesAsSparkWritesThem() {
        SparkConf conf = new SparkConf(false)
                .set("spark.paritas.ec.patience", "750ms")
                .set("spark.paritas.ec.repair.enabled", "False")
                .set("spark.paritas.ec.repair.delay", "0s")
                .set("spark.paritas.ec.repair.interval", "2h")
                .set("spark.paritas.ec.repair.bytesPerSecond", "64m");
        assertThat(ApplicationTerms.of(conf))
                .isEqualTo(new Terms(Duration.ofMillis(750), false, Duration.ZERO, Duration.ofHours(2), 64 << 20));
    }

    @ParameterizedTest
    @CsvSource({
        "patience, 0s, 'a time above 0, such as 500ms or 5s'",
        "patience, soon, 'a time above 0, such as 500ms or 5s'",
        "repair.enabled, yes, true or false",
        "repair.delay, -1s, 'a time, such as 0s, 500ms or 10s'",
        "repair.interval, 0, 'a time above 0, such as 30s or 1min'",
        "repair.bytesPerSecond, fast, 'a number of bytes, such as 64m or 1g, or 0 for no limit'",
        "repair.bytesPerSecond, 1.5m, 'a number of bytes, such as 64m or 1g, or 0 for no limit'"
    })
    void refusesOtherValues(String setting, String value, String allowed) {
        String key = "spark.paritas.ec." + setting;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ApplicationTerms.of(new SparkConf(false).set(key, value)))
                .withMessage(key + " is " + allowed + "; got '" + value + "'");
    }
}
