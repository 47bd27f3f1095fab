/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.erasure.CodeFamily;
import io.paritas.erasure.CodeName;
import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.settings.ValueType;
import io.paritas.settings.Values;
import java.time.Duration;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkConf;

/**
 * The Spark properties of the coded shuffle. {@code docs/configuration.md} is made from them.
 *
 * @param code the code of full groups
 * @param minSize bytes of a shuffle's map outputs before any are coded
 * @param fetchTimeout how long who codes or decodes waits for a range of another executor's file before it is late
 * @param bytesPerSecond bytes that an executor reads in the background, at most; 0 is no limit
 * @param hedgeAfter before which no fetch is late
 * @param patience multiple of the median after which a fetch is late
 * @param repairInterval how often lost outputs are made again; 0 is never
 * @param repairDelay how long lost files wait for the executor that replaces the lost one
 * @param minTaskTime of the map tasks of smaller shuffles that are coded, too; 0 is never
 * @param networkTimeout how long Spark waits for an executor
 */
record ShuffleSettings(
        CodeName code,
        long minSize,
        Duration fetchTimeout,
        long bytesPerSecond,
        Duration hedgeAfter,
        double patience,
        Duration repairInterval,
        Duration repairDelay,
        Duration minTaskTime,
        Duration networkTimeout) {
    static final SettingGroup GROUP = new SettingGroup("spark.paritas.shuffle.");

    static final Setting<CodeName> CODE = GROUP.application(
            "code",
            new ValueType<>("code", "a code such as paritas-4-1, rs-4-2 or lrc-6-2-2", ShuffleSettings::code),
            "paritas-4-1",
            "The code of map outputs: `paritas-K-R`, `rs-K-R` or `lrc-K-R-L`. A group is K outputs of K executors, with R"
                    + " parity files (`lrc`: R + L) on others, and survives the loss of any R of them.");

    static final Setting<Long> MIN_SIZE = GROUP.application(
            "minSize",
            Values.bytes(0, Long.MAX_VALUE),
            "64m",
            "How large the map outputs of a shuffle must be together before any of them is coded.");

    static final Setting<Duration> MIN_TASK_TIME = GROUP.application(
            "minTaskTime",
            Values.duration(),
            "5min",
            "How long the map tasks of a smaller shuffle must have run together for it to be coded, too. The tasks of the"
                    + " uncoded shuffles that they read count: they would run again as well. 0: only the size counts.");

    static final Setting<Duration> FETCH_TIMEOUT = GROUP.application(
            "fetchTimeout",
            Values.positiveMilliseconds(),
            "10s",
            "How long who codes or decodes a map output waits for bytes of another executor. A reducer asks others"
                    + " then. If too few others are left, it waits on, up to `spark.network.timeout`.");

    static final Setting<Long> RATE = GROUP.application(
            "bytesPerSecond",
            Values.bytes(0, Long.MAX_VALUE),
            "0",
            "How many bytes a second an executor reads at most to make parity and to repair, such as 100m. 0 is no limit.");

    static final Setting<Duration> HEDGE_AFTER = GROUP.application(
            "hedgeAfter",
            Values.positiveDuration(),
            "2s",
            "How long a reducer waits at least for a block before it decodes it, too: its executor may be frozen or slow."
                    + " What comes first counts.");

    static final Setting<Double> PATIENCE = GROUP.application(
            "patience",
            Values.decimalAtLeast(1),
            "10",
            "How long it waits, as a multiple of the median of recent fetches, if that is longer than `hedgeAfter`.");

    static final Setting<Duration> REPAIR_INTERVAL = GROUP.application(
            "repair.interval",
            Values.milliseconds(),
            "5s",
            "How often lost map outputs are looked for, to decode and store them on other executors. 0 is never: reducers"
                    + " decode them whenever they read them. Lost parity is then still made again, and what could not be made is"
                    + " tried again, every 5 s.");

    static final Setting<Duration> REPAIR_DELAY = GROUP.application(
            "repair.delay",
            Values.duration(),
            "1min",
            "How long lost outputs, and those that have lost their parity, wait for the executor that Spark starts in place of the"
                    + " lost one, if all others have a file of the group. 0: others take over at once, as with dynamic"
                    + " allocation.");

    /**
     * Reads the settings of an application.
     *
     * @throws IllegalArgumentException if a value is not allowed
     */
    static ShuffleSettings of(SparkConf conf) {
        UnaryOperator<String> properties = key -> conf.get(key, null);
        return new ShuffleSettings(
                CODE.get(properties),
                MIN_SIZE.get(properties),
                FETCH_TIMEOUT.get(properties),
                RATE.get(properties),
                HEDGE_AFTER.get(properties),
                PATIENCE.get(properties),
                REPAIR_INTERVAL.get(properties),
                REPAIR_DELAY.get(properties),
                MIN_TASK_TIME.get(properties),
                Duration.ofSeconds(conf.getTimeAsSeconds("spark.network.timeout", "120s")));
    }

    /** Whether lost outputs are made again before they are read. */
    boolean repairs() {
        return !repairInterval.isZero();
    }

    /** How often the shuffles are looked at: what has failed is tried again after some rounds. */
    Duration round() {
        return repairs() ? repairInterval : REPAIR_INTERVAL.defaultValue();
    }

    private static CodeName code(String text) {
        CodeName code = CodeName.parse(text);
        boolean any = Set.of(CodeFamily.PARITAS, CodeFamily.RS, CodeFamily.LRC).contains(code.family());
        return any ? code : null;
    }
}
