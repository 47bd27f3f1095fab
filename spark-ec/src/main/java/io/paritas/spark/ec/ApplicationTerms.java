/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import io.paritas.spark.ec.store.Terms;
import java.time.Duration;
import java.util.function.LongPredicate;
import java.util.function.ToLongFunction;
import org.apache.spark.SparkConf;
import org.apache.spark.network.util.JavaUtils;

/** What an application's settings say of how units are read and repaired. */
final class ApplicationTerms {
    private ApplicationTerms() {}

    /** @throws IllegalArgumentException if a setting has no such value */
    static Terms of(SparkConf conf) {
        return new Terms(
                time(conf, EcSetting.PATIENCE, "a time above 0, such as 500ms or 5s", millis -> millis > 0),
                bool(conf, EcSetting.REPAIR),
                time(conf, EcSetting.REPAIR_DELAY, "a time, such as 0s, 500ms or 10s", millis -> millis >= 0),
                time(conf, EcSetting.REPAIR_INTERVAL, "a time above 0, such as 30s or 1min", millis -> millis > 0),
                number(
                        conf,
                        EcSetting.REPAIR_RATE,
                        "a number of bytes, such as 64m or 1g, or 0 for no limit",
                        JavaUtils::byteStringAsBytes,
                        bytes -> bytes >= 0));
    }

    private static Duration time(SparkConf conf, EcSetting setting, String allowed, LongPredicate rule) {
        return Duration.ofMillis(number(conf, setting, allowed, JavaUtils::timeStringAsMs, rule));
    }

    private static boolean bool(SparkConf conf, EcSetting setting) {
        String value = text(conf, setting);
        if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            throw refused(setting, "true or false", value, null);
        }
        return Boolean.parseBoolean(value);
    }

    private static long number(
            SparkConf conf, EcSetting setting, String allowed, ToLongFunction<String> parser, LongPredicate rule) {
        String value = text(conf, setting);
        long number;
        try {
            number = parser.applyAsLong(value);
        } catch (IllegalArgumentException e) {
            throw refused(setting, allowed, value, e);
        }
        if (!rule.test(number)) {
            throw refused(setting, allowed, value, null);
        }
        return number;
    }

    private static String text(SparkConf conf, EcSetting setting) {
        return conf.get(setting.key(), setting.defaultValue()).trim();
    }

    private static IllegalArgumentException refused(
            EcSetting setting, String allowed, String value, IllegalArgumentException cause) {
        return new IllegalArgumentException(setting.key() + " is " + allowed + "; got '" + value + "'", cause);
    }
}
