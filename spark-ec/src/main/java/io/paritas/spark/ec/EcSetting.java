/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

/** Every Spark property of this module; {@code docs/configuration.md} is made from it. */
public enum EcSetting {
    ON_ERROR(
            "spark.paritas.ec.onError",
            Scope.SESSION,
            "fail",
            "name",
            "What a row does that an ec_ function cannot compute, because too many units are missing or they do not fit the"
                    + " code: fail the job, or null (the result)."),
    PATIENCE(
            "spark.paritas.ec.patience",
            Scope.APPLICATION,
            "5s",
            "time",
            "How long a task waits for a unit of another executor before it looks for other units of the stripe."),
    REPAIR(
            "spark.paritas.ec.repair.enabled",
            Scope.APPLICATION,
            "true",
            "boolean",
            "Whether units that were lost with executors are made again in the background. Without it a task that needs one"
                    + " makes it."),
    REPAIR_DELAY(
            "spark.paritas.ec.repair.delay",
            Scope.APPLICATION,
            "10s",
            "time",
            "How long after an executor is gone repair begins."),
    REPAIR_INTERVAL(
            "spark.paritas.ec.repair.interval",
            Scope.APPLICATION,
            "1min",
            "time",
            "How often repair looks for units that are missing, whether an executor is known to be gone or not."),
    REPAIR_RATE(
            "spark.paritas.ec.repair.bytesPerSecond",
            Scope.APPLICATION,
            "0",
            "bytes",
            "How many bytes a second repair makes at most, on average, such as 64m. 0 is no limit.");

    /** Where a setting can be given. */
    enum Scope {
        /** When the application starts. */
        APPLICATION("startup"),
        /** In a session, for all that is planned from then on. */
        SESSION("session");

        final String text;

        Scope(String text) {
            this.text = text;
        }
    }

    private final String key;
    private final Scope scope;
    private final String defaultValue;
    private final String unit;
    private final String meaning;

    EcSetting(String key, Scope scope, String defaultValue, String unit, String meaning) {
        this.key = key;
        this.scope = scope;
        this.defaultValue = defaultValue;
        this.unit = unit;
        this.meaning = meaning;
    }

    /** The Spark property. */
    public String key() {
        return key;
    }

    public String defaultValue() {
        return defaultValue;
    }

    String unit() {
        return unit;
    }

    String meaning() {
        return meaning;
    }

    Scope scope() {
        return scope;
    }
}
