/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.settings.Values;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkConf;

/**
 * The Spark properties of screening. {@code docs/configuration.md} is made from them.
 *
 * @param mode how executors are screened
 * @param share of the batches of an executor that nobody suspects
 * @param falseAlarms share of sound groups that are audited because their residual is large
 * @param interval between the questions of an executor to the driver
 * @param exclude whether faulty executors are taken out of use
 * @param falseExclusions sound executors that may be called faulty in a day, on average
 * @param exclusionsPerDay faulty executors that are taken out of use in 24 hours, at most
 * @param report file of findings on the driver's machine; empty for none
 */
record ScreenSettings(
        ScreenMode mode,
        double share,
        double falseAlarms,
        Duration interval,
        boolean exclude,
        double falseExclusions,
        int exclusionsPerDay,
        String report) {
    static final SettingGroup GROUP = new SettingGroup("spark.paritas.screen");

    static final Setting<ScreenMode> MODE = GROUP.application(
            "",
            Values.oneOf(ScreenMode.class),
            "off",
            "Whether executors are screened for processors that compute wrong predictions: off; audit (some batches are"
                    + " predicted again by another executor, and compared); residual (coded predictions are compared with"
                    + " the parity that was computed anyway, and what does not fit is audited); or full (both, and"
                    + " copies of rows in stacks of folded models).");

    static final Setting<Double> SHARE = GROUP.application(
            ".share",
            Values.decimalBetween(0, 1).of("share"),
            "0.001",
            "The share of an executor's batches that is predicted again, beside its first one. It is a hundred times as much"
                    + " for an executor that was wrong, and for others of its host.");

    static final Setting<Double> FALSE_ALARMS = GROUP.application(
            ".falseAlarms",
            Values.decimalBetween(1e-9, 0.5).of("share"),
            "0.001",
            "The share of sound coding groups whose residual may exceed the bound: so many are audited for nothing. A smaller"
                    + " share finds fewer wrong values. Models that are linear need none, their bound is exact.");

    static final Setting<Duration> INTERVAL = GROUP.application(
            ".interval",
            Values.positiveMilliseconds(),
            "5s",
            "How often an executor tells the driver of its batches and asks for those of others.");

    static final Setting<Boolean> EXCLUDE = GROUP.application(
            ".exclude",
            Values.bool(),
            "true",
            "Whether an executor that was wrong again and again is ended, and not replaced. Otherwise it is only reported.");

    static final Setting<Double> FALSE_EXCLUSIONS = GROUP.application(
            ".falseExclusionsPerDay",
            Values.decimalBetween(1e-9, 10).of("executors"),
            "0.01",
            "How many sound executors may be called faulty in a day of an application, on average, because particles hit them. The more"
                    + " batches are audited or compared in a day, the stronger the evidence must be.");

    static final Setting<Integer> EXCLUSIONS_PER_DAY = GROUP.application(
            ".exclusionsPerDay",
            Values.between(1, 1_000_000).of("executors"),
            "4",
            "How many executors are ended in 24 hours, whatever is found, and only while half of them are left. Others that are found are"
                    + " reported as suspect.");

    static final Setting<String> REPORT = GROUP.application(
            ".report",
            Values.text().of("path"),
            "",
            "A file on the driver's machine to which each finding is added as a line of JSON, for paritas screen report."
                    + " Empty is none.");

    /**
     * Reads the settings of an application.
     *
     * @throws IllegalArgumentException if a value is not allowed
     */
    static ScreenSettings of(SparkConf conf) {
        UnaryOperator<String> properties = key -> conf.get(key, null);
        return new ScreenSettings(
                MODE.get(properties),
                SHARE.get(properties),
                FALSE_ALARMS.get(properties),
                INTERVAL.get(properties),
                EXCLUDE.get(properties),
                FALSE_EXCLUSIONS.get(properties),
                EXCLUSIONS_PER_DAY.get(properties),
                REPORT.get(properties));
    }

    boolean isOn() {
        return mode != ScreenMode.OFF;
    }
}
