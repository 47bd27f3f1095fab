/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.PublicApi;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.code.Codes;
import io.paritas.inference.parity.PredictionCode;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.protect.ProtectionPlan;
import io.paritas.inference.serving.Code;
import io.paritas.inference.serving.ModelFolder;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.PolicyName;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.spark.screen.ScreeningBounds;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.settings.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/**
 * A plan to serve a version of a model. Immutable.
 *
 * @param served the model, as clients see it
 * @param files the model of each role
 * @param instances the number of instances of each role
 * @param spares that stand by for lost instances of any role
 * @param warmUp what instances predict before they take queries
 * @param options how instances load their models
 * @param cpus cores of an instance's task; 0 for those of other tasks
 * @param gpus GPUs of an instance's task; 0 for those of other tasks
 * @param bound above which residual a coding group is suspect; {@link ResidualBound#NONE} if groups are not compared
 * @param settings of which it was made, {@code spark.paritas.*}
 */
@PublicApi
public record ServingPlan(
        ServedModel served,
        Map<Role, ModelFile> files,
        Map<Role, Integer> instances,
        int spares,
        WarmUp warmUp,
        ModelOptions options,
        int cpus,
        double gpus,
        ResidualBound bound,
        Map<String, String> settings) {

    private static final int COPIES = 2;
    private static final String OURS = "spark.paritas.";

    /** Checks that each role has a model and instances. */
    public ServingPlan {
        files = Map.copyOf(files);
        instances = Map.copyOf(instances);
        settings = Map.copyOf(settings);
        for (Role role : served.policy().roles()) {
            if (!files.containsKey(role) || instances.getOrDefault(role, 0) < 1) {
                throw new IllegalArgumentException(
                        "each role of " + served + " must have a model and at least 1 instance, the role " + role
                                + " has none, got models for " + files.keySet() + " and instances " + instances);
            }
        }
    }

    /**
     * The plans of all models that an application's settings name: one, or those of a folder.
     *
     * @throws ModelException if a model cannot be read, or parity models belong to another
     * @throws IllegalArgumentException if a setting is wrong
     */
    public static List<ServingPlan> all(SparkConf conf) {
        String folder = new ServingConf(conf).get(ServingSettings.MODELS);
        if (folder.isEmpty()) {
            return List.of(of(conf));
        }
        return new ModelFolder(Path.of(folder))
                .entries().stream()
                        .map(entry -> of(settings(conf, entry, entry.version().orElse("1"))))
                        .toList();
    }

    /** The settings of an application for a model of its folder. */
    static SparkConf settings(SparkConf conf, ModelFolder.Entry entry, String version) {
        SparkConf settings = conf.clone();
        entry.settings().forEach((name, value) -> {
            String key = ServingSettings.GROUP.prefix() + name;
            settings.set(key, value);
            ServingSettings.GROUP.all().stream()
                    .filter(setting -> setting.key().equals(key))
                    .forEach(setting -> check(entry, setting, value));
        });
        settings.set(ServingSettings.NAME.key(), entry.name());
        settings.set(ServingSettings.VERSION.key(), version);
        settings.set(ServingSettings.MODEL.key(), entry.model().toString());
        return settings.remove(CodedSettings.PARITY.key()); // they are beside their models
    }

    private static void check(ModelFolder.Entry entry, Setting<?> setting, String value) {
        try {
            setting.parse(value);
        } catch (IllegalArgumentException e) {
            throw new ModelException(
                    "a setting in " + ModelFolder.SETTINGS + " of the model " + entry.name() + " is wrong: "
                            + e.getMessage(),
                    e);
        }
    }

    /**
     * The plan that an application's settings describe.
     *
     * @throws ModelException if a model cannot be read, or the parity models belong to another
     * @throws IllegalArgumentException if a setting is wrong
     */
    public static ServingPlan of(SparkConf conf) {
        ServingConf settings = new ServingConf(conf);
        Path path = settings.path(ServingSettings.MODEL, "serving needs a model");
        ModelOptions options = settings.model();
        DeployedModel deployed = load(path, options);
        Map<Role, ModelFile> files = new LinkedHashMap<>(Map.of(Role.DEPLOYED, deployed.file()));
        PolicyName name = policy(settings, path);
        Optional<PredictionCode> code =
                name == PolicyName.CODED ? Optional.of(code(settings, path, deployed)) : Optional.empty();
        Policy policy = policy(name, settings, code, deployed, files);
        ServedModel served = new ServedModel(
                settings.get(ServingSettings.NAME),
                settings.get(ServingSettings.VERSION),
                deployed.input(),
                deployed.output(),
                policy,
                settings.limits());
        return new ServingPlan(
                served,
                files,
                instances(name, settings, policy),
                settings.get(ServingSettings.SPARES),
                warmUp(settings, path, served, deployed.file()),
                options,
                settings.get(EngineSettings.TASK_CPUS),
                settings.get(EngineSettings.TASK_GPUS),
                code.map(parity -> ScreeningBounds.bound(parity, conf)).orElse(ResidualBound.NONE),
                ours(conf));
    }

    private static Map<String, String> ours(SparkConf conf) {
        return Arrays.stream(conf.getAll())
                .filter(setting -> setting._1().startsWith(OURS))
                .collect(Collectors.toMap(Tuple2::_1, Tuple2::_2));
    }

    /** The policy that is set; for a model of a folder, one that it has the parity models for. */
    private static PolicyName policy(ServingConf settings, Path path) {
        PolicyName policy = settings.get(ServingSettings.POLICY);
        boolean hasFolder = !settings.get(ServingSettings.MODELS).isEmpty();
        boolean namesParity = !settings.get(CodedSettings.PARITY).isEmpty();
        return hasFolder && !namesParity ? ModelFolder.policy(policy, path) : policy;
    }

    private static Path beside(Path path) {
        return path.toAbsolutePath().getParent();
    }

    /** The rows of a file are predicted once on the driver: what an instance could not predict is an error now. */
    private static WarmUp warmUp(ServingConf settings, Path path, ServedModel served, ModelFile file) {
        WarmUp warmUp = WarmUp.of(settings.get(ServingSettings.WARM_UP), path, served);
        if (warmUp.rows() > 0) {
            try (Model model = ModelEngines.load(file, ModelEngines.onCpu(settings.model()))) {
                warmUp.run(model, Role.DEPLOYED, served);
            }
        }
        return warmUp;
    }

    private static DeployedModel load(Path path, ModelOptions options) {
        if (Files.isDirectory(path)) {
            throw new ModelException("a model must be named by its file, got the folder '" + path
                    + "': name the file in it, such as " + path.resolve("base.onnx"));
        }
        if (!Files.isRegularFile(path)) {
            throw new ModelException("there must be a model at '" + path + "', no such file is there on the driver");
        }
        ModelFile file = ModelFile.read(path);
        ProtectionPlan.check(file, options.protection());
        try (Model model = ModelEngines.load(file, ModelEngines.onCpu(options))) {
            return DeployedModel.of(file, model);
        }
    }

    private static Policy policy(
            PolicyName name,
            ServingConf settings,
            Optional<PredictionCode> code,
            DeployedModel deployed,
            Map<Role, ModelFile> files) {
        return switch (name) {
            case NONE, EQUAL -> new Policy.Uncoded();
            case REPLICATED -> new Policy.Replicated(COPIES);
            case HEDGED ->
                new Policy.Hedged(
                        settings.get(ServingSettings.HEDGE_PERCENTILE), settings.get(ServingSettings.GROUP_WAIT));
            case AUTO -> new Policy.Auto(settings.get(ServingSettings.GROUP_WAIT));
            case BACKUP -> {
                files.put(Role.BACKUP, backup(settings, deployed));
                yield new Policy.Backup();
            }
            case CODED -> coded(settings, code.orElseThrow(), deployed, files);
        };
    }

    private static ModelFile backup(ServingConf settings, DeployedModel deployed) {
        Path path = settings.path(ServingSettings.BACKUP, "the policy backup needs a cheaper model");
        DeployedModel backup = load(path, ofAnother(settings.model()));
        if (!backup.input().shape().equals(deployed.input().shape())
                || backup.output().size() != deployed.output().size()) {
            throw new ModelException("the backup model must take rows of "
                    + deployed.input().shape() + " and answer "
                    + deployed.output().size()
                    + " values, as the deployed model does; " + path + " takes rows of "
                    + backup.input().shape() + " and answers " + backup.output().size()
                    + ": name another one with " + ServingSettings.BACKUP.key());
        }
        return backup.file();
    }

    private static PredictionCode code(ServingConf settings, Path path, DeployedModel deployed) {
        String given = settings.get(CodedSettings.PARITY);
        Path folder = given.isEmpty() ? beside(path) : Path.of(given);
        if (Files.isDirectory(folder) && Codes.in(folder).isEmpty()) {
            throw new ModelException("the policy coded must have parity models, there is no " + Codes.FILES
                    + " in " + folder + ": name their folder with " + CodedSettings.PARITY.key() + ", or a load's"
                    + " with its parameter 'parity', make them"
                    + " with bin/paritas train parity, or choose another " + ServingSettings.POLICY.key());
        }
        PredictionCode parity = Codes.read(folder);
        parity.bundle().requireFor(deployed.file());
        return parity;
    }

    private static Policy coded(
            ServingConf settings, PredictionCode parity, DeployedModel deployed, Map<Role, ModelFile> files) {
        int r = settings.get(CodedSettings.R);
        Code code = new Code(
                parity.plan(),
                r == 0 ? parity.plan().r() : r,
                deployed.input().shape(),
                parity.range(),
                parity.networks());
        for (int number = 0; number < code.r(); number++) {
            files.put(Role.parity(number), parity.answering(number, deployed.file()));
        }
        return new Policy.Coded(code, settings.get(ServingSettings.GROUP_WAIT), settings.get(ServingSettings.PATIENCE));
    }

    private static Map<Role, Integer> instances(PolicyName name, ServingConf settings, Policy policy) {
        int m = settings.get(ServingSettings.INSTANCES);
        int k = policy instanceof Policy.Coded coded ? coded.code().k() : settings.get(ServingSettings.K);
        Map<Role, Integer> instances = new LinkedHashMap<>();
        policy.roles().forEach(role -> instances.put(role, PolicyName.others(m, k)));
        instances.put(Role.DEPLOYED, name.deployed(m, k));
        return instances;
    }

    /** How instances load the model of a role, on the GPU that they are given. */
    ModelOptions loading(Role role) {
        ModelOptions own = role.equals(Role.DEPLOYED) ? options : ofAnother(options);
        return own.withInputShape(served.input().shape());
    }

    /** The options of the deployed model, for another. */
    static ModelOptions ofAnother(ModelOptions options) {
        return options.withProtection(options.protection().measured());
    }

    /** The number of instances of all roles, each of which takes a slot; spares take one each beside them. */
    public int slots() {
        return instances.values().stream().mapToInt(Integer::intValue).sum();
    }
}
