/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.serve;

import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.cli.usage.Usage;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.code.Codes;
import io.paritas.inference.parity.GroupCode;
import io.paritas.inference.serving.ModelFolder;
import io.paritas.inference.serving.PolicyName;
import io.paritas.inference.serving.spark.ServingSettings;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.settings.Setting;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code paritas serve}: its options and messages. */
@Command(
        name = "serve",
        header = "Serves models over HTTP and gRPC; parity models make up for slow and dead instances.",
        description = {
            "",
            "Starts a Spark cluster of processes on this machine, with an executor for each instance, loads the model"
                    + " and its parity models, and answers the Open Inference Protocol (KServe v2) until it is ended."
                    + " Replies say whether they were predicted or reconstructed. You may kill executors.",
            "",
            "A folder serves all models in it: each has a folder with its name, in which is base.onnx or model.onnx, with"
                    + " its parity models beside it, or folders of versions such as 1 and 2. Those without parity models"
                    + " are served without protection; serving.properties beside a model has settings of its own.",
            "",
            "On a cluster of your own, submit io.paritas.inference.serving.spark.Serve: docs/serving.md.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  paritas train base --data glyphs:count=10000,seed=1 --out models --epochs 3",
            "  paritas train parity --data glyphs:count=10000,seed=1 --out models --model models/base.onnx --epochs 20",
            "  paritas serve models/base.onnx --name digits",
            "  paritas serve models --instances 1 --spares 1   # models/digits/base.onnx, models/faces/1/model.onnx",
            "  curl http://127.0.0.1:8000/v2/models/digits",
        },
        sortOptions = false)
public final class ServeCommand implements Callable<Integer> {
    private static final String NAME = "model";
    /* Each has a worker of its own. */
    private static final int MOST_SLOTS = StandaloneCluster.Size.MOST_WORKERS;

    private static final Pattern MEMORY = Pattern.compile("[0-9]{1,7}[mM]|[0-9]{1,4}[gG]");

    @Parameters(paramLabel = "MODEL", description = "The model, ONNX or TorchScript, or a folder of models.")
    private Path model;

    @Option(names = "--name", paramLabel = "NAME", description = "The model's name for clients. Default: model")
    private String name = NAME;

    @Option(
            names = "--parity",
            paramLabel = "DIR",
            description =
                    "Its parity models, made by paritas train parity, or its learned code, made by paritas train code."
                            + " Default: beside MODEL")
    private Path parity;

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            description = "coded, none, equal, replicated, hedged, backup or auto. Default: coded")
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
            names = "--spares",
            paramLabel = "N",
            description = "Executors that stand by with all models of each model's instances loaded. Default: 0")
    private int spares;

    @Option(
            names = "--warm-up-rows",
            paramLabel = "FILE",
            description =
                    "Rows that each instance predicts first, as the JSON of a request. Default: warmup.json beside"
                            + " the model, if there is one")
    private Path warmUpRows;

    @Mixin
    private ListenOptions listen = new ListenOptions();

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
        check();
        boolean several = Files.isDirectory(model);
        if (!several && !Files.isRegularFile(model)) {
            throw new ModelException(
                    "MODEL must be a file or a folder, there is none at " + model + ": name another one");
        }
        // What is no model is refused before a cluster starts.
        List<ModelFolder.Entry> entries = several ? new ModelFolder(model).entries() : List.of();
        (several ? entries.stream().map(ModelFolder.Entry::model) : Stream.of(model)).forEach(ModelFile::read);
        int slots = several ? entries.stream().mapToInt(this::slots).sum() : slots() + spares;
        require(
                slots >= 1 && slots <= MOST_SLOTS,
                "the instances of all models and their spares must be 1 to %d, got %d: ask for fewer --instances or --spares",
                MOST_SLOTS,
                slots);
        listen.check();
        say(err, "starting a Spark cluster with " + slots + " executors ...");
        long start = System.nanoTime();
        try (StandaloneCluster cluster = StandaloneCluster.start(StandaloneCluster.Size.oneCoreEach(slots, settings))) {
            say(err, "the cluster runs after " + seconds(start) + " s; loading " + slots + " instances ...");
            ServingApplication served = ServingApplication.start(cluster, allSettings());
            cluster.beforeEnd(served::end);
            served.awaitReady(text -> say(err, text));
            List<String> names =
                    several ? entries.stream().map(ModelFolder.Entry::name).toList() : List.of(name);
            names.forEach(
                    each -> say(err, "ready after " + seconds(start) + " s: " + served.url() + "/v2/models/" + each));
            if (!served.grpc().isEmpty()) {
                say(err, "gRPC: " + served.grpc());
            }
            say(err, "Ctrl-C ends it");
            return await(served, cluster::isEnding, err);
        }
    }

    /**
     * Waits for its end, and returns the status of this program: the driver's may mean anything.
     *
     * @param ending whether this program ends, and the driver with it
     */
    static int await(ServingApplication served, BooleanSupplier ending, PrintWriter err)
            throws IOException, InterruptedException {
        if (served.await() == 0 || ending.getAsBoolean()) {
            return 0;
        }
        say(err, "serving has ended: " + served.reason());
        return 1;
    }

    /** Refuses what cannot be served, before a cluster starts. */
    private void check() {
        boolean several = Files.isDirectory(model);
        require(
                !several || (parity == null && name.equals(NAME)),
                "--name and --parity are for one model, and MODEL is a folder: its models have the"
                        + " names of their folders, and their parity models beside them");
        require(
                instances >= 1 && instances <= MOST_SLOTS,
                "--instances must be 1 to %d, got %d",
                MOST_SLOTS,
                instances);
        require(spares >= 0 && spares <= MOST_SLOTS, "--spares must be 0 to %d, got %d", MOST_SLOTS, spares);
        // A model of a folder may have a policy and a backup of its own.
        require(
                several || policy != PolicyName.BACKUP || backup != null,
                "--policy backup needs a cheaper model: name it with --backup");
        require(
                several || policy == PolicyName.BACKUP || backup == null,
                "--backup is for --policy backup, got --policy %s: choose that, or leave --backup out",
                policy.label());
        Usage usage = new Usage(spec);
        usage.requireFile("--backup", backup);
        usage.requireFile("--warm-up-rows", warmUpRows);
        Map<String, String> options = optionsBySetting();
        settings.forEach((key, value) -> require(
                !options.containsKey(key),
                "%s is %s here, got --conf %s=%s: use %s",
                key,
                options.get(key),
                key,
                value,
                options.get(key)));
        int cores = EngineSettings.TASK_CPUS.get(settings::get);
        require(
                cores <= 1,
                "%s must be at most 1 here, where each executor has one core, got %d: leave it out",
                EngineSettings.TASK_CPUS.key(),
                cores);
        requireMemory(StandaloneCluster.DRIVER_MEMORY);
        requireMemory(StandaloneCluster.EXECUTOR_MEMORY);
    }

    private void requireMemory(String key) {
        String memory = settings.getOrDefault(key, "1g");
        require(MEMORY.matcher(memory).matches(), "%s must be a size such as 2g or 800m, got '%s'", key, memory);
    }

    private void require(boolean right, String message, Object... values) {
        new Usage(spec).check(right, message, values);
    }

    /** Returns the instances of the model and its parity models. Each gets an executor of its own, so that they fail independently. */
    private int slots() {
        if (policy != PolicyName.CODED) {
            return policy.slots(instances, ServingSettings.K.get(settings::get), 0);
        }
        Path folder = parity == null ? model.toAbsolutePath().getParent() : parity;
        if (Files.isDirectory(folder) && Codes.in(folder).isEmpty()) {
            throw new ModelException("the policy coded needs parity models, and there is no " + Codes.FILES
                    + " in " + folder + ": name them with --parity, make them with paritas train parity, or choose"
                    + " another --policy");
        }
        return codedSlots(folder, instances);
    }

    private int codedSlots(Path folder, int m) {
        GroupCode code = Codes.read(folder).plan();
        int r = CodedSettings.R.get(settings::get);
        return PolicyName.CODED.slots(m, code.k(), r == 0 ? code.r() : r);
    }

    /** Those of a model of the folder, and its spares. */
    private int slots(ModelFolder.Entry entry) {
        PolicyName its = entry.policy(policy);
        int m = own(entry, ServingSettings.INSTANCES, instances);
        int slots = its == PolicyName.CODED
                ? codedSlots(
                        entry.parity()
                                .orElseThrow(() -> new ModelException("the model " + entry.name()
                                        + " has the policy coded in its " + ModelFolder.SETTINGS + ", and there is no "
                                        + Codes.FILES + " in " + entry.model().getParent()
                                        + ": put it there, or take that setting away")),
                        m)
                : its.slots(m, own(entry, ServingSettings.K, ServingSettings.K.get(settings::get)), 0);
        return slots + own(entry, ServingSettings.SPARES, spares);
    }

    private static int own(ModelFolder.Entry entry, Setting<Integer> setting, int others) {
        String name = setting.key().substring(setting.key().lastIndexOf('.') + 1);
        return setting.get(key -> entry.settings().getOrDefault(name, String.valueOf(others)));
    }

    /** What each option sets: in --conf, it would change what is counted and checked here. */
    private static Map<String, String> optionsBySetting() {
        Map<Setting<?>, String> all = new HashMap<>(ListenOptions.NAMES);
        all.put(ServingSettings.MODEL, "MODEL");
        all.put(ServingSettings.MODELS, "MODEL");
        all.put(ServingSettings.NAME, "--name");
        all.put(CodedSettings.PARITY, "--parity");
        all.put(ServingSettings.POLICY, "--policy");
        all.put(ServingSettings.BACKUP, "--backup");
        all.put(ServingSettings.INSTANCES, "--instances");
        all.put(ServingSettings.SPARES, "--spares");
        all.put(ServingSettings.WARM_UP, "--warm-up-rows");
        return all.entrySet().stream()
                .collect(Collectors.toMap(each -> each.getKey().key(), Map.Entry::getValue));
    }

    private Map<String, String> allSettings() {
        Map<String, String> all = new LinkedHashMap<>();
        put(all, Files.isDirectory(model) ? ServingSettings.MODELS : ServingSettings.MODEL, model.toAbsolutePath());
        put(all, ServingSettings.NAME, name);
        put(all, ServingSettings.SPARES, spares);
        put(all, ServingSettings.POLICY, policy.label());
        put(all, ServingSettings.INSTANCES, instances);
        listen.settings().forEach((setting, value) -> put(all, setting, value));
        if (parity != null) {
            put(all, CodedSettings.PARITY, parity.toAbsolutePath());
        }
        if (backup != null) {
            put(all, ServingSettings.BACKUP, backup.toAbsolutePath());
        }
        if (warmUpRows != null) {
            put(all, ServingSettings.WARM_UP, warmUpRows.toAbsolutePath());
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
