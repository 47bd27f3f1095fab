/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.serve;

import io.paritas.examples.spark.StandaloneCluster;
import io.paritas.inference.ModelException;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.serving.PolicyName;
import io.paritas.inference.spark.SparkSetting;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code paritas serve}: the options, and what is said on the way. */
@Command(
        name = "serve",
        header = "Serves a model over HTTP, with parity models against slow and dead instances.",
        description = {
            "",
            "Starts a Spark cluster on this machine, an executor for each instance, as processes; loads the model, and its parity"
                    + " models, into them; and answers the Open Inference Protocol (KServe v2) until it is told to end. Replies"
                    + " say whether they were predicted or reconstructed. Executors may be killed.",
            "",
            "On a cluster of your own, submit io.paritas.inference.serving.spark.Serve: docs/serving.md.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  paritas train base --data glyphs:count=10000,seed=1 --out models --epochs 3",
            "  paritas train parity --data glyphs:count=10000,seed=1 --out models --model models/base.onnx --epochs 60",
            "  paritas serve models/base.onnx --name digits",
            "  curl http://127.0.0.1:8000/v2/models/digits",
        },
        sortOptions = false)
public final class ServeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "MODEL", description = "The model, as ONNX or TorchScript.")
    private Path model;

    @Option(names = "--name", paramLabel = "NAME", description = "What clients call it. Default: model")
    private String name = "model";

    @Option(
            names = "--parity",
            paramLabel = "DIR",
            description = "Its parity models, made by paritas train parity. Default: beside it")
    private Path parity;

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            description = "coded, none, equal, replicated, hedged or backup. Default: coded")
    private PolicyName policy = PolicyName.CODED;

    @Option(names = "--backup", paramLabel = "FILE", description = "The cheaper model of --policy backup.")
    private Path backup;

    @Option(
            names = "--instances",
            paramLabel = "M",
            description = "Instances of the model; the policy adds M / k of each parity model, or as many others."
                    + " Default: 2")
    private int instances = 2;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "Where to listen. Others than loopback need --token-file. Default: 127.0.0.1")
    private String host = "127.0.0.1";

    @Option(names = "--port", paramLabel = "PORT", description = "The same; 0 for any. Default: 8000")
    private int port = 8_000;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file with the token that clients must send. Default: none is asked for")
    private Path tokenFile;

    @Option(
            names = "--tls-certificate",
            paramLabel = "FILE",
            description = "The certificate that clients are shown, as PEM. Default: HTTP without TLS")
    private Path tlsCertificate;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "Its private key, as PKCS #8 in PEM without a password.")
    private Path tlsKey;

    @Option(
            names = "--conf",
            paramLabel = "KEY=VALUE",
            description = "A property of Spark, such as spark.paritas.serving.deadline=200.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        PrintWriter err = spec.commandLine().getErr();
        if (!Files.isRegularFile(model)) {
            throw new ModelException("MODEL must be a file, there is none at " + model + ": name another one");
        }
        if ((tlsCertificate == null) != (tlsKey == null)) {
            throw new ModelException("TLS needs both --tls-certificate and --tls-key: name the other one too");
        }
        int slots = slots();
        say(err, "starting a Spark cluster with " + slots + " executors ...");
        long start = System.nanoTime();
        try (StandaloneCluster cluster = StandaloneCluster.start(new StandaloneCluster.Size(slots, 1, 512))) {
            say(err, "the cluster runs after " + seconds(start) + " s; loading " + slots + " instances ...");
            Served served = Served.start(cluster, allSettings());
            cluster.beforeEnd(served::end);
            served.awaitReady();
            say(err, "ready after " + seconds(start) + " s: " + served.url() + "/v2/models/" + name);
            say(err, "Ctrl-C ends it");
            return served.await();
        }
    }

    /** Instances of all models: each gets an executor, so that a dead one takes no other along. */
    private int slots() {
        if (policy != PolicyName.CODED) {
            int k = Integer.parseInt(
                    settings.getOrDefault(SparkSetting.SERVING_K.key(), SparkSetting.SERVING_K.defaultValue()));
            return policy.slots(instances, k, 0);
        }
        Path folder = parity == null ? model.toAbsolutePath().getParent() : parity;
        if (!Files.exists(folder.resolve(ParityModels.KIND + ".json"))) {
            throw new ModelException("the policy coded needs parity models, and there is no " + ParityModels.KIND
                    + ".json in " + folder + ": name them with --parity, make them with paritas train parity, or choose"
                    + " another --policy");
        }
        var code = ParityModels.read(folder).plan().code();
        int r = Integer.parseInt(settings.getOrDefault(SparkSetting.R.key(), "0"));
        return policy.slots(instances, code.k(), r == 0 ? code.r() : r);
    }

    private Map<String, String> allSettings() {
        Map<String, String> all = new LinkedHashMap<>();
        put(all, SparkSetting.SERVING_MODEL, model.toAbsolutePath());
        put(all, SparkSetting.SERVING_NAME, name);
        put(all, SparkSetting.SERVING_POLICY, policy.label());
        put(all, SparkSetting.SERVING_INSTANCES, instances);
        put(all, SparkSetting.SERVING_HOST, host);
        put(all, SparkSetting.SERVING_PORT, port);
        if (parity != null) {
            put(all, SparkSetting.PARITY, parity.toAbsolutePath());
        }
        if (backup != null) {
            put(all, SparkSetting.SERVING_BACKUP, backup.toAbsolutePath());
        }
        if (tokenFile != null) {
            put(all, SparkSetting.SERVING_TOKEN_FILE, tokenFile.toAbsolutePath());
        }
        if (tlsCertificate != null) {
            put(all, SparkSetting.SERVING_TLS_CERTIFICATE, tlsCertificate.toAbsolutePath());
        }
        if (tlsKey != null) {
            put(all, SparkSetting.SERVING_TLS_KEY, tlsKey.toAbsolutePath());
        }
        all.putAll(settings);
        return all;
    }

    private static void put(Map<String, String> all, SparkSetting setting, Object value) {
        all.put(setting.key(), value.toString());
    }

    private static void say(PrintWriter err, String line) {
        err.println("paritas: " + line);
        err.flush();
    }

    private static String seconds(long start) {
        return String.format(Locale.ROOT, "%.1f", (System.nanoTime() - start) / 1e9);
    }
}
