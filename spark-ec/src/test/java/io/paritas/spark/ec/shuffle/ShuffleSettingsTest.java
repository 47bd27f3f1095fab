/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShuffleSettingsTest {
    private static SparkConf conf() {
        return new SparkConf(false);
    }

    @Test
    void defaultsAreThoseOfTheManual() {
        ShuffleSettings settings = ShuffleSettings.of(conf());

        assertThat(settings.code()).hasToString("paritas-4-1");
        assertThat(settings.minSize()).isEqualTo(64 << 20);
        assertThat(settings.minTaskTime()).isEqualTo(Duration.ofMinutes(5));
        assertThat(settings.fetchTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(settings.bytesPerSecond()).isZero();
        assertThat(settings.hedgeAfter()).isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.patience()).isEqualTo(10);
        assertThat(settings.repairInterval()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.repairDelay()).isEqualTo(Duration.ofMinutes(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rs-4-2", "paritas-6-3", "4-2", "rs-10-4", "lrc-6-2-2"})
    void codesOfAnyShape(String code) {
        assertThat(ShuffleSettings.of(conf().set("spark.paritas.shuffle.code", code))
                        .code()
                        .toString())
                .endsWith(code);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lrc-4-2", "xor-4", "isal-4-2", "none", "rs-0-1"})
    void otherCodesAreRefused(String code) {
        assertThatThrownBy(() -> ShuffleSettings.of(conf().set("spark.paritas.shuffle.code", code)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("spark.paritas.shuffle.code")
                .hasMessageContaining("a code such as paritas-4-1, rs-4-2 or lrc-6-2-2")
                .hasMessageContaining(code);
    }

    /** It was never, as 0 is. */
    @Test
    void anIntervalBelowAMillisecondIsRefused() {
        assertThatThrownBy(() -> ShuffleSettings.of(conf().set("spark.paritas.shuffle.repair.interval", "500us")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "spark.paritas.shuffle.repair.interval must be 0 or a duration of at least 1ms with a unit from"
                                + " us to d, such as 200ms, 5s or 1min, got '500us'");
    }

    @Test
    void sparkAsItComesIsNoObstacle() {
        assertThat(Obstacles.of(conf().set("spark.io.encryption.enabled", "true"), "4.2.0"))
                .isEmpty();
    }

    @Test
    void spark40IsAnObstacle() {
        assertThat(Obstacles.of(conf(), "4.0.4"))
                .contains("Spark must be 4.1 or 4.2, got 4.0.4, whose shuffles have other interfaces");
        assertThat(Obstacles.of(conf(), "4.1.3")).isEmpty();
    }

    /** What has failed rests for some rounds. */
    @Test
    void withoutRepairRoundsComeAsOftenAsByDefault() {
        ShuffleSettings never = ShuffleSettings.of(conf().set("spark.paritas.shuffle.repair.interval", "0"));
        assertThat(never.repairs()).isFalse();
        assertThat(never.round()).isEqualTo(Duration.ofSeconds(5));

        ShuffleSettings often = ShuffleSettings.of(conf().set("spark.paritas.shuffle.repair.interval", "1s"));
        assertThat(often.repairs()).isTrue();
        assertThat(often.round()).isEqualTo(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spark.shuffle.service.enabled | true | spark.shuffle.service.enabled must be false, got true: the files"
                        + " outlive executors already",
                "spark.shuffle.push.enabled | true | spark.shuffle.push.enabled must be false, got true: merged blocks"
                        + " have no parity",
                "spark.shuffle.useOldFetchProtocol | true | spark.shuffle.useOldFetchProtocol must be false, got true:"
                        + " it cannot ask for ranges of bytes",
                "spark.shuffle.sort.io.plugin.class | some.Storage | spark.shuffle.sort.io.plugin.class must be"
                        + " org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO, got some.Storage: only files on"
                        + " local disks are coded"
            })
    void obstaclesAreNamed(String key, String value, String sentence) {
        assertThat(Obstacles.of(conf().set(key, value), "4.2.0")).contains(sentence);
    }
}
