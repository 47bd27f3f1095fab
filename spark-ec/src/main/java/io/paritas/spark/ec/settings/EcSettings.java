/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.settings;

import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.settings.Values;
import java.time.Duration;

/** The Spark properties of erasure-coded data. {@code docs/configuration.md} is made from them. */
public final class EcSettings {
    public static final SettingGroup GROUP = new SettingGroup("spark.paritas.ec.");

    public static final Setting<OnError> ON_ERROR = GROUP.session(
            "onError",
            Values.oneOf(OnError.class),
            "fail",
            "What happens to a row that an ec_ function cannot compute, because too many units are missing or the"
                    + " units do not fit the code: fail the job, or null (the result).");

    public static final Setting<Duration> FETCH_TIMEOUT = GROUP.application(
            "fetchTimeout",
            Values.positiveMilliseconds(),
            "5s",
            "How long a task waits for a unit of another executor before it uses other units of the stripe.");

    public static final Setting<Boolean> REPAIR = GROUP.application(
            "repair.enabled",
            Values.bool(),
            "true",
            "Whether units that are lost with executors are rebuilt in the background. Otherwise, a task that needs one"
                    + " decodes it. A partition that cannot be decoded is then computed again by every task that needs it, if"
                    + " its rows come in another order than before, as after a shuffle.");

    public static final Setting<Duration> REPAIR_DELAY = GROUP.application(
            "repair.delay", Values.duration(), "10s", "How long after the loss of an executor repair begins.");

    public static final Setting<Duration> REPAIR_INTERVAL = GROUP.application(
            "repair.interval",
            Values.positiveMilliseconds(),
            "1min",
            "How often repair looks for missing units, whether or not Spark reports a lost executor.");

    public static final Setting<Long> REPAIR_RATE = GROUP.application(
            "repair.bytesPerSecond",
            Values.bytes(0, Long.MAX_VALUE),
            "0",
            "How many bytes a second repair rebuilds at most, on average, such as 64m. 0 is no limit.");

    private EcSettings() {}
}
