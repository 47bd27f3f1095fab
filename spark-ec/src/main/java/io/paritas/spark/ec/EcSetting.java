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
            "How many bytes a second repair makes at most, on average, such as 64m. 0 is no limit."),
    ECRM_SPARES(
            "spark.paritas.ecrm.spares",
            Scope.APPLICATION,
            "1",
            "number",
            "Tasks that wait to replace a parameter server. Each has a slot."),
    ECRM_SILENCE(
            "spark.paritas.ecrm.silence",
            Scope.APPLICATION,
            "10s",
            "time",
            "How long a parameter server may say nothing before it is taken for dead. One whose process ends is noticed at once."),
    ECRM_PATIENCE(
            "spark.paritas.ecrm.patience",
            Scope.APPLICATION,
            "30s",
            "time",
            "How long an executor without a parameter server is waited for, if one is expected, before two servers share one: what is"
                    + " lost together cannot recover each other."),
    ECRM_RETRY(
            "spark.paritas.ecrm.retry",
            Scope.APPLICATION,
            "200ms",
            "time",
            "How long parameter servers and their clients wait for an answer before they ask again."),
    ECRM_LEASE(
            "spark.paritas.ecrm.lease",
            Scope.APPLICATION,
            "10s",
            "time",
            "How long a worker may take to finish an iteration that parameter servers have staged, before the driver ends it."),
    ECRM_BACKOFF(
            "spark.paritas.ecrm.backoff",
            Scope.APPLICATION,
            "5ms",
            "time",
            "About how long a worker waits that was refused, because another updates the same rows, before it tries again."),
    ECRM_RANGES(
            "spark.paritas.ecrm.recovery.ranges",
            Scope.APPLICATION,
            "10",
            "number",
            "Ranges of a table that are locked one after another while a parameter server is recovered, at least: a range has 8"
                    + " batches at most. The more, the less is buffered, and the more often all stop for a moment."),
    ECRM_BATCH(
            "spark.paritas.ecrm.recovery.batch",
            Scope.APPLICATION,
            "1024",
            "number",
            "Stripes that are read at a time while a parameter server is recovered."),
    ECRM_SHARE(
            "spark.paritas.ecrm.recovery.share",
            Scope.APPLICATION,
            "1",
            "number",
            "Share of its time that a server which replaces a lost one recovers what nobody waits for, from 0.01 to 1 (without"
                    + " rests). The less, the more throughput training has meanwhile, and the longer the loss of a second server may lose"
                    + " rows.");

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
