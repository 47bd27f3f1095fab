/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.EcSetting;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.server.Pace;
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
                .set(EcSetting.ECRM_SPARES.key(), "2")
                .set(EcSetting.ECRM_SILENCE.key(), "3s")
                .set(EcSetting.ECRM_PATIENCE.key(), "9s")
                .set(EcSetting.ECRM_RETRY.key(), "40ms")
                .set(EcSetting.ECRM_LEASE.key(), "5s")
                .set(EcSetting.ECRM_BACKOFF.key(), "6ms")
                .set(EcSetting.ECRM_RANGES.key(), "7")
                .set(EcSetting.ECRM_BATCH.key(), "8")
                .set(EcSetting.ECRM_SHARE.key(), "0.5");
        assertThat(HostOptions.of(conf))
                .isEqualTo(new HostOptions(2, 3000, 9000, new Timing(40, 5000, 6), new Pace(7, 8, 0.5)));
    }

    @Test
    void saysWhichSettingIsWrong() {
        assertThatThrownBy(() -> HostOptions.of(new SparkConf(false).set(EcSetting.ECRM_SPARES.key(), "some")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("spark.paritas.ecrm.spares");
        assertThatThrownBy(() -> HostOptions.of(new SparkConf(false).set(EcSetting.ECRM_SILENCE.key(), "1ms")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "There are 0 spares or more, patience is 0 ms or more, and a server may be silent for at least twice 200"
                                + " ms, but 1 spares, 30000 ms and 1 ms are given");
        assertThatThrownBy(() -> HostOptions.of(new SparkConf(false).set(EcSetting.ECRM_SHARE.key(), "0")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "A replacement recovers for a share of its time from 0.01 to 1, which is without rests, but was"
                                + " given 0.0");
    }
}
