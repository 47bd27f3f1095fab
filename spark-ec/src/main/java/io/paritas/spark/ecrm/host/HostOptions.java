/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ec.EcSetting;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.server.Pace;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.io.Serializable;
import org.apache.spark.SparkConf;

/**
 * How servers are run.
 *
 * @param spares tasks that wait to replace a server; each has a slot, and no memory to speak of
 * @param silence milliseconds after which a server that says nothing is taken for dead; one whose process ends is noticed at once
 * @param patience milliseconds that a server is waited for that would have an executor for itself, if one is expected, before one beside
 *     another server is taken: what is lost together cannot recover each other
 * @param timing of the protocol
 * @param pace of recovery
 */
public record HostOptions(int spares, long silence, long patience, Timing timing, Pace pace) implements Serializable {
    public static final HostOptions DEFAULT = new HostOptions(1, 10_000, 30_000, Timing.DEFAULT, Pace.DEFAULT);

    public HostOptions {
        if (spares < 0 || patience < 0 || silence < 2 * timing.retry()) {
            throw new IllegalArgumentException(
                    "There are 0 spares or more, patience is 0 ms or more, and a server may be silent for at least twice "
                            + timing.retry() + " ms, but " + spares + " spares, " + patience + " ms and " + silence
                            + " ms are given");
        }
    }

    /**
     * As an application's settings {@code spark.paritas.ecrm.*} say.
     *
     * @throws IllegalArgumentException if a setting has no such value
     */
    public static HostOptions of(SparkConf conf) {
        Timing timing = new Timing(
                time(conf, EcSetting.ECRM_RETRY), time(conf, EcSetting.ECRM_LEASE), time(conf, EcSetting.ECRM_BACKOFF));
        Pace pace = new Pace(
                number(conf, EcSetting.ECRM_RANGES),
                number(conf, EcSetting.ECRM_BATCH),
                conf.getDouble(EcSetting.ECRM_SHARE.key(), Double.parseDouble(EcSetting.ECRM_SHARE.defaultValue())));
        return new HostOptions(
                number(conf, EcSetting.ECRM_SPARES),
                time(conf, EcSetting.ECRM_SILENCE),
                time(conf, EcSetting.ECRM_PATIENCE),
                timing,
                pace);
    }

    private static long time(SparkConf conf, EcSetting setting) {
        return conf.getTimeAsMs(setting.key(), setting.defaultValue());
    }

    private static int number(SparkConf conf, EcSetting setting) {
        return conf.getInt(setting.key(), Integer.parseInt(setting.defaultValue()));
    }

    /** Servers and spares. */
    int tasks(ModelSpec model) {
        return model.servers() + spares;
    }
}
