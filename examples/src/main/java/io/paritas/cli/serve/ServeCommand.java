/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.serve;

import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.serving.PolicyName;
import io.paritas.inference.serving.spark.ServingSettings;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.settings.Setting;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code paritas serve}: its options and messages. */
@Command(
        name = "serve",
        header = "Serves a model over HTTP and gRPC; parity models make up for slow and dead instances.",
        description = {
            "",
            "Starts a Spark cluster of processes on this machine, with an executor for each instance, loads the model"
                    + " and its parity models, and answers the Open Inference Protocol (KServe v2) until it is ended."
                    + " Replies say whether they were predicted or reconstructed. You may kill executors.",
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
    /* The status of a process that ends by Ctrl-C or kill. */
    private static final Set<Integer> SIGNALLED = Set.of(130, 143);

    @Parameters(paramLabel = "MODEL", description = "The model: ONNX or TorchScript.")
    private Path model;

    @Option(names = "--name", paramLabel = "NAME", description = "The model's name for clients. Default: model")
    private String name = "model";

    @Option(
            names = "--parity",
            paramLabel = "DIR",
            description = "Its parity models, made by paritas train parity. Default: beside MODEL")
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
            description = "Address to listen on; other than loopback needs --token-file. Default: 127.0.0.1")
    private String host = "127.0.0.1";

    @Option(names = "--port", paramLabel = "PORT", description = "Port to listen on; 0 for any. Default: 8000")
    private int port = 8_000;

    @Option(names = "--grpc-port", paramLabel = "PORT", description = "Port of gRPC, 0 for any. Default: HTTP only")
    private int grpcPort = -1;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file with the token that clients must send. Default: no token")
    private Path tokenFile;

    @Option(
            names = "--tls-certificate",
            paramLabel = "FILE",
            description = "The server's certificate, as PEM. Default: HTTP without TLS")
    private Path tlsCertificate;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "The certificate's private key: PKCS #8 as PEM, without a password.")
    private Path tlsKey;

    @Option(
            names = "--conf",
            paramLabel = "KEY=VALUE",
            description = "A property of Spark, such as spark.paritas.serving.deadline=200ms.")
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
        ModelFile.read(model); // what is no model is refused before a cluster starts
        int slots = slots();
        say(err, "starting a Spark cluster with " + slots + " executors ...");
        long start = System.nanoTime();
        try (StandaloneCluster cluster = StandaloneCluster.start(new StandaloneCluster.Size(slots, 1, 512))) {
            say(err, "the cluster runs after " + seconds(start) + " s; loading " + slots + " instances ...");
            ServingApplication served = ServingApplication.start(cluster, allSettings());
            cluster.beforeEnd(served::end);
            served.awaitReady();
            say(err, "ready after " + seconds(start) + " s: " + served.url() + "/v2/models/" + name);
            if (!served.grpc().isEmpty()) {
                say(err, "gRPC: " + served.grpc());
            }
            say(err, "Ctrl-C ends it");
            int status = served.await();
            if (status != 0 && !SIGNALLED.contains(status)) {
                say(err, "serving has ended: " + cluster.reason());
            }
            return status;
        }
    }

    /** Returns the instances of all models. Each gets an executor of its own, so that they fail independently. */
    private int slots() {
        if (policy != PolicyName.CODED) {
            return policy.slots(instances, ServingSettings.K.get(settings::get), 0);
        }
        Path folder = parity == null ? model.toAbsolutePath().getParent() : parity;
        if (!Files.exists(folder.resolve(ParityModels.KIND + ".json"))) {
            throw new ModelException("the policy coded needs parity models, and there is no " + ParityModels.KIND
                    + ".json in " + folder + ": name them with --parity, make them with paritas train parity, or choose"
                    + " another --policy");
        }
        var code = ParityModels.read(folder).plan().code();
        int r = CodedSettings.R.get(settings::get);
        return policy.slots(instances, code.k(), r == 0 ? code.r() : r);
    }

    private Map<String, String> allSettings() {
        Map<String, String> all = new LinkedHashMap<>();
        put(all, ServingSettings.MODEL, model.toAbsolutePath());
        put(all, ServingSettings.NAME, name);
        put(all, ServingSettings.POLICY, policy.label());
        put(all, ServingSettings.INSTANCES, instances);
        put(all, ServingSettings.HOST, host);
        put(all, ServingSettings.PORT, port);
        put(all, ServingSettings.GRPC_PORT, grpcPort);
        if (parity != null) {
            put(all, CodedSettings.PARITY, parity.toAbsolutePath());
        }
        if (backup != null) {
            put(all, ServingSettings.BACKUP, backup.toAbsolutePath());
        }
        if (tokenFile != null) {
            put(all, ServingSettings.TOKEN_FILE, tokenFile.toAbsolutePath());
        }
        if (tlsCertificate != null) {
            put(all, ServingSettings.TLS_CERTIFICATE, tlsCertificate.toAbsolutePath());
        }
        if (tlsKey != null) {
            put(all, ServingSettings.TLS_KEY, tlsKey.toAbsolutePath());
        }
        all.putAll(settings);
        return all;
    }

    private static void put(Map<String, String> all, Setting<?> setting, Object value) {
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
