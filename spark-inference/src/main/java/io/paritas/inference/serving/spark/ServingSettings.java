/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.PublicApi;
import io.paritas.inference.serving.PolicyName;
import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.settings.Values;
import java.time.Duration;
import java.util.List;

/** The settings of serving, {@code spark.paritas.serving.*}. They are read when the application starts. Immutable. */
@PublicApi
public final class ServingSettings {
    static final SettingGroup GROUP = new SettingGroup("spark.paritas.serving.");

    /** The name of the model. */
    public static final Setting<String> NAME =
            GROUP.application("name", Values.text().of("name"), "model", "What clients call the model that is served.");

    /** Path of the model. */
    public static final Setting<String> MODEL =
            GROUP.application("model", Values.text().of("path"), "", "The model that is served.");

    /** Folder of models. */
    public static final Setting<String> MODELS = GROUP.application(
            "models",
            Values.text().of("path"),
            "",
            "A folder of models that are served in place of one, each in a folder with its name, with serving.properties"
                    + " for settings of its own. Models without parity models are served without the policy coded.");

    /** Version of the model. */
    public static final Setting<String> VERSION =
            GROUP.application("version", Values.text().of("name"), "1", "The version of the model.");

    /** What is done against slow and lost instances. */
    public static final Setting<PolicyName> POLICY = GROUP.application(
            "policy",
            Values.oneOf(List.of(PolicyName.values()), PolicyName::label),
            "coded",
            "The policy against slow and lost instances: coded, none, equal (more instances), replicated"
                    + " (each query to two), hedged (a late query to a second), backup (each query also to a"
                    + " cheaper model), or auto (one, hedged or two, by the load).");

    /** Instances of the deployed model. */
    public static final Setting<Integer> INSTANCES = GROUP.application(
            "instances",
            Values.atLeast(1).of("tasks"),
            "2",
            "The number m of instances of the deployed model. The policies coded and backup add m / k of"
                    + " each further model, rounded up; equal, replicated, hedged and auto add as many of the deployed"
                    + " model.");

    /** Spares that stand by. */
    public static final Setting<Integer> SPARES = GROUP.application(
            "spares",
            Values.atLeast(0).of("tasks"),
            "0",
            "How many spares stand by with all models loaded. Each takes a slot, and the place of a lost instance at"
                    + " once, until that is back.");

    /** The k of policies without parity models. */
    public static final Setting<Integer> K = GROUP.application(
            "k",
            Values.atLeast(2).of("queries"),
            "2",
            "The k of policies without parity models, for the same number of instances as with them.");

    /** Path of the cheaper model. */
    public static final Setting<String> BACKUP =
            GROUP.application("backup", Values.text().of("path"), "", "The cheaper model of the policy backup.");

    /** File with rows that instances predict first. */
    public static final Setting<String> WARM_UP = GROUP.application(
            "warmUp",
            Values.text().of("path"),
            "",
            "A file with rows that each instance predicts before it takes queries: a request for predictions as JSON."
                    + " Default: warmup.json beside the model, or zeros.");

    /** How long a coding group waits for queries. */
    public static final Setting<Duration> GROUP_WAIT = GROUP.application(
            "groupWait",
            Values.positiveDuration(),
            "2ms",
            "How long the parity of a coding group waits for more queries. The queries themselves do not"
                    + " wait. With policies hedged and auto: after how long a query is sent again, until there are"
                    + " latencies to choose by.");

    /** Multiple of the median after which a query is reconstructed. */
    public static final Setting<Double> PATIENCE = GROUP.application(
            "patience",
            Values.decimalAtLeast(0).of("times"),
            "2",
            "How long a query that could be reconstructed waits for its prediction, in medians of the"
                    + " recent latencies, from 1 to 1000; 0 is not at all, which makes a quarter of the answers"
                    + " approximate with nobody slow.");

    /** When a query is hedged. */
    public static final Setting<Double> HEDGE_PERCENTILE = GROUP.application(
            "hedgePercentile",
            Values.decimalBelow(0, 100).of("percent"),
            "0",
            "The percentile of the recent latencies after which a query is sent to a second instance; 0 is one that"
                    + " follows the load: the median while all instances are idle, the largest when none is.");

    /** Deadline of a query. */
    public static final Setting<Duration> DEADLINE = GROUP.application(
            "deadline",
            Values.positiveDuration(),
            "1s",
            "The time after which a query that has no deadline of its own is unavailable.");

    /** Queries that may wait for an instance. */
    public static final Setting<Integer> WAITING = GROUP.application(
            "waiting",
            Values.atLeast(1).of("queries"),
            "1000",
            "How many queries may wait for an instance. More are rejected at once.");

    /** Queries that an instance gets at once. */
    public static final Setting<Integer> BATCH = GROUP.application(
            "batch",
            Values.atLeast(1).of("queries"),
            "1",
            "How many queries an instance gets at once, at most. No query waits for others.");

    /** Batches that an instance may have at a time. */
    public static final Setting<Integer> PIPELINE = GROUP.application(
            "pipeline",
            Values.atLeast(1).of("batches"),
            "1",
            "How many batches an instance may have at a time. 2 hide the network's latency; a slow instance"
                    + " then holds more queries.");

    /** Address to listen on. */
    public static final Setting<String> HOST = GROUP.application(
            "host",
            Values.text().of("address"),
            "127.0.0.1",
            "The address to listen on. Other addresses than loopback need a token.");

    /** Port to listen on. */
    public static final Setting<Integer> PORT = GROUP.application(
            "port", Values.between(0, 65_535).of("port"), "8000", "The port to listen on; 0 is any that is free.");

    /** Port of gRPC. */
    public static final Setting<Integer> GRPC_PORT = GROUP.application(
            "grpcPort",
            Values.between(-1, 65_535).of("port"),
            "-1",
            "The port on which gRPC is served; 0 is any that is free, -1 is none.");

    /** File with the token of clients. */
    public static final Setting<String> TOKEN_FILE = GROUP.application(
            "tokenFile",
            Values.text().of("path"),
            "",
            "The file with the token that clients must send as Authorization: Bearer TOKEN. Empty asks for" + " none.");

    /** File with the certificate. */
    public static final Setting<String> TLS_CERTIFICATE = GROUP.application(
            "tlsCertificate",
            Values.text().of("path"),
            "",
            "The certificate of the server with its chain, as PEM. Empty is HTTP without TLS.");

    /** File with the private key. */
    public static final Setting<String> TLS_KEY = GROUP.application(
            "tlsKey",
            Values.text().of("path"),
            "",
            "The private key of the certificate, as PKCS #8 in PEM without a password.");

    /** Longest body of a request. */
    public static final Setting<Long> MAX_BODY_BYTES = GROUP.application(
            "maxBodyBytes", Values.bytes(1, Integer.MAX_VALUE), "16m", "The longest body of a request.");

    /** Longest reply. */
    public static final Setting<Long> MAX_REPLY_BYTES = GROUP.application(
            "maxReplyBytes",
            Values.bytes(1, Integer.MAX_VALUE),
            "64m",
            "The longest reply with predictions. A request whose reply might be longer is refused.");

    /** Where spans go. */
    public static final Setting<String> TRACES = GROUP.application(
            "traces",
            Values.text().of("address"),
            "",
            "The address of a collector of OpenTelemetry, such as http://127.0.0.1:4318, to which the driver and the"
                    + " instances send spans of requests (OTLP over HTTP). Empty is no traces.");

    /** Share of requests that are traced. */
    public static final Setting<Double> TRACE_SHARE = GROUP.application(
            "traceShare",
            Values.decimalBetween(0, 1).of("share"),
            "1",
            "The share of requests that are traced, from 0 to 1, of those whose client has not decided it.");

    /** Longest wait for queries when serving ends. */
    public static final Setting<Duration> DRAIN = GROUP.application(
            "drain",
            Values.positiveDuration(),
            "10s",
            "How long serving waits for its queries when it ends. Spark ends after 30 s in any case.");

    private ServingSettings() {}
}
