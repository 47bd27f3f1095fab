/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.PublicApi;
import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.settings.Values;
import java.time.Duration;

/** The settings of coded predictions, {@code spark.paritas.coded.*}. Immutable. */
@PublicApi
public final class CodedSettings {
    static final SettingGroup GROUP = new SettingGroup("spark.paritas.coded.");

    /** Whether {@code coded_predict} codes. */
    public static final Setting<Boolean> ENABLED = GROUP.session(
            "enabled",
            Values.bool(),
            "true",
            "Whether coded_predict codes. false gives the same rows without parity models: no exchange, no"
                    + " reconstruction.");

    /** Path of the parity models. */
    public static final Setting<String> PARITY = GROUP.option(
            "parity",
            Values.text().of("path"),
            "",
            "The parity models or the learned code: a descriptor parity.json or learned.json, or its folder. Empty"
                    + " looks beside the model. k is theirs.");

    /** Parity models in use. */
    public static final Setting<Integer> R = GROUP.option(
            "r", Values.atLeast(0).of("models"), "0", "How many of the parity models to use; 0 is all of them.");

    /** Tasks that predict. */
    public static final Setting<Integer> SEGMENTS = GROUP.option(
            "segments",
            Values.atLeast(0).of("tasks"),
            "0",
            "How many tasks predict, a multiple of k + r. 0 is (k + r) / k for each partition of the input, or one for each"
                    + " where a coded call is below without an exchange between; both are rounded up. exchange=never takes these"
                    + " numbers always: one for each if k and r are those of the call below, and nothing but selections,"
                    + " conditions and broadcast hash joins is between.");

    /** Share of the stripes that is coded. */
    public static final Setting<Double> SHARE = GROUP.option(
            "share",
            Values.decimalBetween(0, 1).of("share"),
            "1",
            "The share of the stripes that is coded, 0 to 1, rounded up to whole stripes. In the others a slow task is"
                    + " waited for, and costs no parity.");

    /** Multiple of the median after which a task is late. */
    public static final Setting<Double> PATIENCE = GROUP.option(
            "patience",
            Values.decimalAtLeast(1).of("times"),
            "1.5",
            "When a task is late, as a multiple of the median duration of the finished ones: its rows are then"
                    + " reconstructed, if they can be. Half a second more than a median in any case.");

    /** Time until everything that computes is given up. */
    public static final Setting<Duration> DEADLINE = GROUP.option(
            "deadline",
            Values.duration(),
            "0s",
            "When what is not predicted is reconstructed at once, and what cannot be is unavailable (an error if"
                    + " onError is fail). 0 is never.");

    /** Least accuracy of reconstructions. */
    public static final Setting<Double> MIN_ACCURACY = GROUP.option(
            "minAccuracy",
            Values.decimalBetween(0, 1).of("share"),
            "0",
            "The accuracy that reconstructions must have had when it was measured, 0 to 1, with every number of losses that"
                    + " can be reconstructed together. Below it nothing is coded.");

    /** Whether rows are exchanged before they are coded. */
    public static final Setting<Exchange> EXCHANGE = GROUP.option(
            "exchange",
            Values.oneOf(Exchange.class),
            "always",
            "Whether rows are exchanged before they are coded: always; never, where they always come in the same order,"
                    + " as from files; or auto, which is never where the plan proves that, and always elsewhere. Without"
                    + " an exchange nothing crosses the network, but parity reads its rows again.");

    /** What is logged about plans. */
    public static final Setting<Explain> EXPLAIN = GROUP.session(
            "explain",
            Values.oneOf(Explain.class),
            "uncoded",
            "What is logged about plans: none, uncoded (why one is not coded), or all (also how one is coded).");

    /** Time after which a silent executor is given up. */
    public static final Setting<Duration> FROZEN_EXECUTOR_TIMEOUT = GROUP.application(
            "frozenExecutorTimeout",
            Values.duration(),
            "0s",
            "When an executor that does not answer while something is coded is given up, with all its tasks and"
                    + " blocks. 0 waits for Spark's heartbeats.");

    /** Least time between two executors that are given up. */
    public static final Setting<Duration> FROZEN_EXECUTOR_INTERVAL = GROUP.application(
            "frozenExecutorInterval",
            Values.duration(),
            "60s",
            "How long to wait before another executor may be given up.");

    private CodedSettings() {}

    /** Whether a setting is one of these. */
    public static boolean has(Setting<?> setting) {
        return GROUP.all().contains(setting);
    }
}
