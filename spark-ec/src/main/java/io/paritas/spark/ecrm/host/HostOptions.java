/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.PublicApi;
import io.paritas.settings.Setting;
import io.paritas.spark.ecrm.EcrmSettings;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.io.Serializable;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkConf;

/**
 * How parameter servers run on Spark. Immutable.
 *
 * @param spares tasks that wait to replace a failed server; each takes a slot and hardly any memory
 * @param heartbeatTimeout how long a server may be silent before it is replaced, at least twice the retry time. After
 *     the end of its process or connection, twice the retry time is enough
 * @param placementTimeout how long to wait for an executor without a server before two servers share one. Servers of
 *     one executor fail together and cannot recover each other
 * @param timing waiting times of the protocol
 * @param pace how fast a replacement recovers in the background
 */
@PublicApi
public record HostOptions(
        int spares, Duration heartbeatTimeout, Duration placementTimeout, Timing timing, RecoveryPace pace)
        implements Serializable {
    /** The defaults of the settings {@code spark.paritas.ecrm.*}. */
    public static final HostOptions DEFAULT =
            new HostOptions(1, Duration.ofSeconds(10), Duration.ofSeconds(30), Timing.DEFAULT, RecoveryPace.DEFAULT);

    public HostOptions {
        if (spares < 0) {
            throw new IllegalArgumentException("spares must be at least 0, got " + spares);
        }
        if (heartbeatTimeout.toMillis() < 2 * timing.retry()) {
            throw new IllegalArgumentException("heartbeat timeout must be at least twice the retry time of "
                    + timing.retry() + " ms, got " + heartbeatTimeout.toMillis() + " ms");
        }
        if (placementTimeout.isNegative()) {
            throw new IllegalArgumentException(
                    "placement timeout must be at least 0 ms, got " + placementTimeout.toMillis() + " ms");
        }
    }

    /**
     * Returns the options that an application's settings {@code spark.paritas.ecrm.*} give.
     *
     * @throws IllegalArgumentException if a setting has an invalid value
     */
    public static HostOptions of(SparkConf conf) {
        UnaryOperator<String> properties = key -> conf.get(key, null);
        Duration retry = EcrmSettings.RETRY.get(properties);
        return new HostOptions(
                EcrmSettings.SPARES.get(properties),
                atLeast(2, retry, EcrmSettings.HEARTBEAT_TIMEOUT, properties),
                EcrmSettings.PLACEMENT_TIMEOUT.get(properties),
                Timing.of(
                        retry, atLeast(1, retry, EcrmSettings.LEASE, properties), EcrmSettings.BACKOFF.get(properties)),
                new RecoveryPace(
                        EcrmSettings.RECOVERY_RANGES.get(properties),
                        EcrmSettings.RECOVERY_BATCH.get(properties),
                        EcrmSettings.RECOVERY_SHARE.get(properties)));
    }

    private static Duration atLeast(
            int times, Duration retry, Setting<Duration> setting, UnaryOperator<String> properties) {
        Duration value = setting.get(properties);
        if (value.compareTo(retry.multipliedBy(times)) < 0) {
            throw new IllegalArgumentException(setting.refusal(
                    "at least " + (times == 1 ? "" : "twice ") + EcrmSettings.RETRY.key() + ", which is "
                            + retry.toMillis() + "ms",
                    value.toMillis() + "ms"));
        }
        return value;
    }

    /** Returns these options with another number of spares. */
    public HostOptions withSpares(int other) {
        return new HostOptions(other, heartbeatTimeout, placementTimeout, timing, pace);
    }

    /** Returns these options with another heartbeat timeout. */
    public HostOptions withHeartbeatTimeout(Duration other) {
        return new HostOptions(spares, other, placementTimeout, timing, pace);
    }

    /** Returns these options with another placement timeout. */
    public HostOptions withPlacementTimeout(Duration other) {
        return new HostOptions(spares, heartbeatTimeout, other, timing, pace);
    }

    /** Returns these options with other waiting times. */
    public HostOptions withTiming(Timing other) {
        return new HostOptions(spares, heartbeatTimeout, placementTimeout, other, pace);
    }

    /** Returns these options with another pace of recovery. */
    public HostOptions withPace(RecoveryPace other) {
        return new HostOptions(spares, heartbeatTimeout, placementTimeout, timing, other);
    }

    /** Returns how many milliseconds one whose connection has ended has to connect again, before it counts as dead. */
    long absence() {
        return 2 * timing.retry();
    }

    /** Returns the number of tasks for a model: its servers and the spares. */
    int tasks(ModelSpec model) {
        return model.servers() + spares;
    }
}
