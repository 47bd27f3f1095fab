/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Every Spark property of this module; {@code docs/configuration.md} is made from it. What may differ from one prediction
 * to the next can also be given to the functions, as an option with the last part of the property's name.
 */
public enum SparkSetting {
    ENABLED(
            "spark.paritas.coded.enabled",
            Scope.SESSION,
            "true",
            "boolean",
            "Whether coded_predict codes. false gives the same rows without parity models: no exchange, no reconstruction."),
    PARITY(
            "spark.paritas.coded.parity",
            Scope.OPTION,
            "",
            "path",
            "The parity models: a descriptor parity.json or its folder. Empty looks for it beside the model. k is theirs."),
    R("spark.paritas.coded.r", Scope.OPTION, "0", "models", "How many of the parity models to use; 0 is all of them."),
    UNITS(
            "spark.paritas.coded.units",
            Scope.OPTION,
            "0",
            "tasks",
            "How many tasks predict, a multiple of k + r. 0 is (k + r) / k for each partition of the input."),
    SHARE(
            "spark.paritas.coded.share",
            Scope.OPTION,
            "1",
            "share",
            "Which part of the stripes of tasks is coded, 0 to 1; in the others a slow task is waited for, and costs no parity."),
    PATIENCE(
            "spark.paritas.coded.patience",
            Scope.OPTION,
            "1.5",
            "times",
            "How long a task may take, in medians of the finished ones, before its rows are reconstructed if they can be; half a"
                    + " second more than a median in any case."),
    DEADLINE(
            "spark.paritas.coded.deadline",
            Scope.OPTION,
            "0",
            "s",
            "When what is not predicted is reconstructed at once, and what cannot be is unavailable (an error if onError is"
                    + " fail). 0 is never."),
    MIN_ACCURACY(
            "spark.paritas.coded.minAccuracy",
            Scope.OPTION,
            "0",
            "share",
            "The accuracy that the parity models must have been measured to reconstruct with, 0 to 1; below it nothing is"
                    + " coded."),
    EXCHANGE(
            "spark.paritas.coded.exchange",
            Scope.OPTION,
            "always",
            "name",
            "Whether rows are exchanged before they are coded: always, or never, where they always come in the same order, as"
                    + " from files. Then nothing crosses the network, but parity reads its rows again."),
    FROZEN_TIMEOUT(
            "spark.paritas.coded.frozenExecutorTimeout",
            Scope.APPLICATION,
            "0",
            "ms",
            "When an executor that does not answer while something is coded is given up, with all its tasks and blocks. 0"
                    + " waits for Spark's heartbeats."),
    FROZEN_INTERVAL(
            "spark.paritas.coded.frozenExecutorInterval",
            Scope.APPLICATION,
            "60000",
            "ms",
            "How long to wait before another executor may be given up."),
    SERVING_NAME(
            "spark.paritas.serving.name",
            Scope.APPLICATION,
            "model",
            "name",
            "What clients call the model that is served."),
    SERVING_MODEL("spark.paritas.serving.model", Scope.APPLICATION, "", "path", "The model that is served."),
    SERVING_VERSION("spark.paritas.serving.version", Scope.APPLICATION, "1", "name", "Its version."),
    SERVING_POLICY(
            "spark.paritas.serving.policy",
            Scope.APPLICATION,
            "coded",
            "name",
            "What is done against slow and lost instances: coded, none, equal (more instances), replicated (each query to two),"
                    + " hedged (a late query to a second), or backup (each query also to a cheaper model)."),
    SERVING_INSTANCES(
            "spark.paritas.serving.instances",
            Scope.APPLICATION,
            "2",
            "tasks",
            "Instances m of the deployed model. The policies coded and backup add m / k of each further model, the others but"
                    + " none as many of the deployed one."),
    SERVING_K(
            "spark.paritas.serving.k",
            Scope.APPLICATION,
            "2",
            "queries",
            "The k of policies without parity models, for the same number of instances as with them."),
    SERVING_BACKUP(
            "spark.paritas.serving.backup", Scope.APPLICATION, "", "path", "The cheaper model of the policy backup."),
    SERVING_GROUP_WAIT(
            "spark.paritas.serving.groupWait",
            Scope.APPLICATION,
            "10",
            "ms",
            "How long the parity of a coding group waits for more queries. The queries themselves wait for nothing."),
    SERVING_PATIENCE(
            "spark.paritas.serving.patience",
            Scope.APPLICATION,
            "0",
            "times",
            "How long a query waits for its prediction while it could be reconstructed, in medians of the recent latencies, from 1"
                    + " on; 0 is not at all."),
    SERVING_HEDGE(
            "spark.paritas.serving.hedgePercentile",
            Scope.APPLICATION,
            "95",
            "percent",
            "The share of recent queries that were answered faster than a query is hedged."),
    SERVING_DEADLINE(
            "spark.paritas.serving.deadline",
            Scope.APPLICATION,
            "1000",
            "ms",
            "When a query is unavailable that says no deadline of its own."),
    SERVING_WAITING(
            "spark.paritas.serving.waiting",
            Scope.APPLICATION,
            "1000",
            "queries",
            "How many queries may wait for an instance. More are rejected at once."),
    SERVING_BATCH(
            "spark.paritas.serving.batch",
            Scope.APPLICATION,
            "1",
            "queries",
            "How many queries an instance gets at once, if so many wait. No query waits for others."),
    SERVING_PIPELINE(
            "spark.paritas.serving.pipeline",
            Scope.APPLICATION,
            "1",
            "batches",
            "How many batches an instance may have at a time. 2 hides the way to it and back; a slow one then has more."),
    SERVING_HOST(
            "spark.paritas.serving.host",
            Scope.APPLICATION,
            "127.0.0.1",
            "address",
            "Where clients are listened to. Other addresses than loopback need a token."),
    SERVING_PORT("spark.paritas.serving.port", Scope.APPLICATION, "8000", "port", "The same; 0 is any that is free."),
    SERVING_TOKEN_FILE(
            "spark.paritas.serving.tokenFile",
            Scope.APPLICATION,
            "",
            "path",
            "The file with the token that clients must send as Authorization: Bearer TOKEN. Empty asks for none."),
    SERVING_TLS_CERTIFICATE(
            "spark.paritas.serving.tlsCertificate",
            Scope.APPLICATION,
            "",
            "path",
            "The certificate that clients are shown, with those above it, as PEM. Empty is HTTP without TLS."),
    SERVING_TLS_KEY(
            "spark.paritas.serving.tlsKey",
            Scope.APPLICATION,
            "",
            "path",
            "Its private key, as PKCS #8 in PEM without a password."),
    SERVING_BODY(
            "spark.paritas.serving.maxBodyBytes",
            Scope.APPLICATION,
            "16777216",
            "bytes",
            "How long the body of a request may be."),
    SERVING_DRAIN(
            "spark.paritas.serving.drain",
            Scope.APPLICATION,
            "10000",
            "ms",
            "How long queries are waited for when serving ends. Spark ends after 30 s in any case."),
    BATCH_ROWS(
            "spark.paritas.batchRows",
            Scope.OPTION,
            "0",
            "rows",
            "Rows of one call of the model. 0 is as many as make 16 MiB of input, 256 at most."),
    ON_ERROR(
            "spark.paritas.onError",
            Scope.OPTION,
            "fail",
            "name",
            "What a row that cannot be predicted does: fail the job, null (its prediction), or column (null, and the reason in"
                    + " the field error)."),
    ENGINE(
            "spark.paritas.engine",
            Scope.OPTION,
            "auto",
            "name",
            "The model engine: auto, onnxruntime, libtorch or protected."),
    PROTECT(
            "spark.paritas.protect",
            Scope.OPTION,
            "off",
            "name",
            "Whether models check what they compute, on the CPU: off, global, thread, weighted (finds any two wrong values in"
                    + " a register tile, too), or guided (in each layer by what costs it the least). A batch with wrong values is computed once more, and fails if they stay."),
    PROTECT_PLAN(
            "spark.paritas.protectPlan",
            Scope.OPTION,
            "",
            "path",
            "For guided protection, the plan that bin/paritas protect plan made for the model. Empty measures when the model"
                    + " is loaded."),
    DEVICE(
            "spark.paritas.device",
            Scope.OPTION,
            "auto",
            "name",
            "Where models run: auto, cpu or cuda. cuda never falls back; a task's GPU is the one that Spark assigned to it."),
    THREADS("spark.paritas.threads", Scope.OPTION, "1", "threads", "Threads of the engine for one task."),
    TASK_CPUS(
            "spark.paritas.taskCpus",
            Scope.OPTION,
            "0",
            "cores",
            "Cores of a task that predicts, as a resource profile of its stage. 0 is spark.task.cpus."),
    TASK_GPUS(
            "spark.paritas.taskGpus",
            Scope.OPTION,
            "0",
            "GPUs",
            "GPUs of a task that predicts, as a resource profile of its stage; 0.5 shares one between two."),
    SHAPE(
            "spark.paritas.input.shape",
            Scope.OPTION,
            "",
            "sizes",
            "The input of one row, such as 3,32,32, for a model that does not tell it."),
    TYPE(
            "spark.paritas.input.type",
            Scope.OPTION,
            "float32",
            "name",
            "What a binary column holds: float32 (little-endian), uint8, or image (an encoded file: PNG, JPEG, GIF, BMP)."),
    LAYOUT("spark.paritas.input.layout", Scope.OPTION, "nchw", "name", "How a column holds images: nchw or nhwc."),
    CHANNELS(
            "spark.paritas.input.channels",
            Scope.OPTION,
            "rgb",
            "name",
            "In which order the model wants the channels of decoded images and image structs: rgb or bgr."),
    SCALE("spark.paritas.input.scale", Scope.OPTION, "1", "factor", "Every value of the input is multiplied by it."),
    MEAN(
            "spark.paritas.input.mean",
            Scope.OPTION,
            "0",
            "values",
            "Subtracted then: one value, or one for each channel, such as 0.485,0.456,0.406."),
    STD(
            "spark.paritas.input.std",
            Scope.OPTION,
            "1",
            "values",
            "Divided by at last: one value, or one for each channel."),
    EXPLAIN(
            "spark.paritas.explain",
            Scope.SESSION,
            "uncoded",
            "name",
            "What is logged about plans: none, uncoded (why one was not coded), or all (also what was coded, and how).");

    /** Where a setting can be given. */
    enum Scope {
        /** When the application starts. */
        APPLICATION("startup"),
        /** In a session, for all that is planned from then on. */
        SESSION("session"),
        /** In a session, or as an option of a function. */
        OPTION("session, option");

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

    SparkSetting(String key, Scope scope, String defaultValue, String unit, String meaning) {
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

    /** Its name as an option of a function: the last part of the property. */
    public String option() {
        return key.substring(key.lastIndexOf('.') + 1);
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

    /** The setting with that name as an option; case does not matter. */
    public static Optional<SparkSetting> ofOption(String name) {
        return Arrays.stream(values())
                .filter(setting ->
                        setting.scope == Scope.OPTION && setting.option().equalsIgnoreCase(name))
                .findFirst();
    }

    /** All that are options. */
    public static List<SparkSetting> options() {
        return Arrays.stream(values())
                .filter(setting -> setting.scope == Scope.OPTION)
                .toList();
    }
}
