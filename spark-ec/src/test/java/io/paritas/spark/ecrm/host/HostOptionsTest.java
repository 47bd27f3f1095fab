/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ecrm.EcrmSettings;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.server.RecoveryPace;
import java.time.Duration;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class HostOptionsTest {
    @Test
    void withoutSettingsTheDefaultsHold() {
        assertThat(HostOptions.of(new SparkConf(false))).isEqualTo(HostOptions.DEFAULT);
    }

    @Test
    void everySettingCounts() {
        SparkConf conf = new SparkConf(false)
                .set(EcrmSettings.SPARES.key(), "2")
                .set(EcrmSettings.HEARTBEAT_TIMEOUT.key(), "3s")
                .set(EcrmSettings.PLACEMENT_TIMEOUT.key(), "9s")
                .set(EcrmSettings.RETRY.key(), "40ms")
                .set(EcrmSettings.LEASE.key(), "5s")
                .set(EcrmSettings.BACKOFF.key(), "6ms")
                .set(EcrmSettings.RECOVERY_RANGES.key(), "7")
                .set(EcrmSettings.RECOVERY_BATCH.key(), "8")
                .set(EcrmSettings.RECOVERY_SHARE.key(), "0.5");
        assertThat(HostOptions.of(conf))
                .isEqualTo(new HostOptions(
                        2,
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(9),
                        new Timing(40, 5000, 6),
                        new RecoveryPace(7, 8, 0.5)));
    }

    @Test
    void saysWhichSettingIsWrong() {
        assertThatThrownBy(() -> HostOptions.of(new SparkConf(false).set(EcrmSettings.SPARES.key(), "some")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spark.paritas.ecrm.spares must be a whole number of at least 0, got 'some'");
        assertThatThrownBy(() -> HostOptions.of(new SparkConf(false).set(EcrmSettings.HEARTBEAT_TIMEOUT.key(), "1ms")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "spark.paritas.ecrm.heartbeatTimeout must be at least twice spark.paritas.ecrm.retry, which is"
                                + " 200ms, got '1ms'");
        assertThatThrownBy(() -> HostOptions.of(new SparkConf(false).set(EcrmSettings.LEASE.key(), "100ms")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spark.paritas.ecrm.lease must be at least spark.paritas.ecrm.retry, which is 200ms,"
                        + " got '100ms'");
        assertThatThrownBy(() -> HostOptions.of(new SparkConf(false).set(EcrmSettings.BACKOFF.key(), "500us")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("spark.paritas.ecrm.backoff must be 0 or a duration of at least 1ms");
        assertThatThrownBy(() -> HostOptions.of(new SparkConf(false).set(EcrmSettings.RECOVERY_SHARE.key(), "0")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spark.paritas.ecrm.recovery.share must be a number from 0.01 to 1, got '0'");
        assertThatThrownBy(() -> HostOptions.of(new SparkConf(false).set(EcrmSettings.RECOVERY_BATCH.key(), "100000")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spark.paritas.ecrm.recovery.batch must be a whole number from 1 to 65536, got '100000'");
        assertThatThrownBy(() -> HostOptions.of(new SparkConf(false).set(EcrmSettings.RECOVERY_RANGES.key(), "65537")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spark.paritas.ecrm.recovery.ranges must be a whole number from 1 to 65536, got '65537'");
    }

    @Test
    void oneOptionIsChangedAtATime() {
        HostOptions changed = HostOptions.DEFAULT
                .withSpares(2)
                .withHeartbeatTimeout(Duration.ofSeconds(3))
                .withPlacementTimeout(Duration.ofSeconds(4))
                .withTiming(new Timing(40, 5000, 6))
                .withPace(RecoveryPace.DEFAULT.withShare(0.5));
        assertThat(changed)
                .isEqualTo(new HostOptions(
                        2,
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(4),
                        Timing.of(Duration.ofMillis(40), Duration.ofSeconds(5), Duration.ofMillis(6)),
                        new RecoveryPace(10, 1024, 0.5)));
    }

    @Test
    void refusesWhatIsOutOfBounds() {
        assertThatThrownBy(() -> HostOptions.DEFAULT.withSpares(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spares must be at least 0, got -1");
        assertThatThrownBy(() -> HostOptions.DEFAULT.withPlacementTimeout(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("placement timeout must be at least 0 ms, got -1 ms");
        assertThatThrownBy(() -> new RecoveryPace(65_537, 100_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("recovery must have 1 to 65536 ranges and batches of 1 to 65536 stripes, got 65537 and"
                        + " 100000");
        assertThatThrownBy(() -> new Timing(200, 1, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "retry must be at least 1 ms, lease at least retry and backoff at least 0 ms, got 200, 1 and -1 ms");
    }
}
