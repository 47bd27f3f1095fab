/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm;

import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.settings.Values;
import io.paritas.spark.ecrm.server.RecoveryPace;
import java.time.Duration;

/** The Spark properties of parameter servers. {@code docs/configuration.md} is made from them. */
public final class EcrmSettings {
    public static final SettingGroup GROUP = new SettingGroup("spark.paritas.ecrm.");

    public static final Setting<Integer> SPARES = GROUP.application(
            "spares", Values.atLeast(0), "1", "Tasks that wait to replace a parameter server. Each has a slot.");

    public static final Setting<Duration> HEARTBEAT_TIMEOUT = GROUP.application(
            "heartbeatTimeout",
            Values.positiveMilliseconds(),
            "10s",
            "How long a parameter server may be silent before it counts as dead. After the end of its process or"
                    + " connection, twice spark.paritas.ecrm.retry is enough.");

    public static final Setting<Duration> PLACEMENT_TIMEOUT = GROUP.application(
            "placementTimeout",
            Values.duration(),
            "30s",
            "How long to wait for an executor without a parameter server, if one is expected, before two servers share"
                    + " one: servers that are lost together cannot recover each other.");

    public static final Setting<Duration> SLOTS_TIMEOUT = GROUP.application(
            "slotsTimeout",
            Values.positiveMilliseconds(),
            "1min",
            "How long a training waits for executors with enough slots for its parameter servers, spares and workers. Longer,"
                    + " if a cluster takes longer to start executors.");

    public static final Setting<Duration> START_TIMEOUT = GROUP.application(
            "startTimeout",
            Values.positiveMilliseconds(),
            "10min",
            "How long the parameter servers of a training may take until all have built their parts of the model, or have read"
                    + " them from a checkpoint. Large parts take minutes.");

    public static final Setting<Duration> RETRY = GROUP.application(
            "retry",
            Values.positiveMilliseconds(),
            "200ms",
            "How long parameter servers and their clients wait for an answer before they ask again.");

    public static final Setting<Duration> LEASE = GROUP.application(
            "lease",
            Values.positiveMilliseconds(),
            "10s",
            "How long a worker may take to finish an iteration that parameter servers have staged, before the driver"
                    + " ends it.");

    public static final Setting<Duration> BACKOFF = GROUP.application(
            "backoff",
            Values.milliseconds(),
            "5ms",
            "About how long a worker waits before it tries again, if it was refused because an older update of"
                    + " the same rows goes first.");

    public static final Setting<Integer> RECOVERY_RANGES = GROUP.application(
            "recovery.ranges",
            Values.between(1, RecoveryPace.MOST),
            "10",
            "Least number of ranges of a table that are locked one after another while a parameter server recovers. A"
                    + " range has at most 8 batches. With more ranges, less is buffered, and all workers stop for a moment"
                    + " more often.");

    public static final Setting<Integer> RECOVERY_BATCH = GROUP.application(
            "recovery.batch",
            Values.between(1, RecoveryPace.MOST),
            "1024",
            "Stripes that are read at a time while a parameter server recovers. Fewer, if they are large.");

    public static final Setting<Double> RECOVERY_SHARE = GROUP.application(
            "recovery.share",
            Values.decimalBetween(0.01, 1),
            "1",
            "Share of its time, from 0.01 to 1 (without rests), in which a replacement recovers rows that no worker"
                    + " waits for. A smaller share leaves more throughput to training, and more time in which the loss of"
                    + " a second server may lose rows (with two parities, of a third).");

    private EcrmSettings() {}
}
