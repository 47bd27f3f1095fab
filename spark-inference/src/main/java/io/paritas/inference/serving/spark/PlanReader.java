/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/** Reads the models that the settings of an application name, on the driver, and makes the plan to serve them. */
final class PlanReader {
    private static final int COPIES = 2;
    private static final String OURS = "spark.paritas.";

    private final SparkConf conf;
    private final ServingConf settings;
    private final Path path;
    private final ModelOptions options;
    private final DeployedModel deployed;
    private final Map<Role, ModelFile> files = new LinkedHashMap<>();

    PlanReader(SparkConf conf) {
        this.conf = conf;
        settings = new ServingConf(conf);
        path = settings.path(ServingSettings.MODEL, "serving needs a model");
        options = settings.model();
        deployed = load(path, options);
        files.put(Role.DEPLOYED, deployed.file());
    }

    ServingPlan read() {
        PolicyName name = policyName();
        Optional<PredictionCode> code = name == PolicyName.CODED ? Optional.of(code()) : Optional.empty();
        Policy policy = policy(name, code);
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
                instances(name, policy),
                settings.get(ServingSettings.SPARES),
                warmUp(served),
                options,
                settings.get(EngineSettings.TASK_CPUS),
                settings.get(EngineSettings.TASK_GPUS),
                code.map(parity -> ScreeningBounds.bound(parity, conf)).orElse(ResidualBound.NONE),
                ours());
    }

    private Map<String, String> ours() {
        return Arrays.stream(conf.getAll())
                .filter(setting -> setting._1().startsWith(OURS))
                .collect(Collectors.toMap(Tuple2::_1, Tuple2::_2));
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

    /** The policy that is set; for a model of a folder, one that it has the parity models for. */
    private PolicyName policyName() {
        PolicyName policy = settings.get(ServingSettings.POLICY);
        boolean namesParity = !settings.get(CodedSettings.PARITY).isEmpty();
        return settings.folder().isPresent() && !namesParity ? ModelFolder.policy(policy, path) : policy;
    }

    private Policy policy(PolicyName name, Optional<PredictionCode> code) {
        return switch (name) {
            case NONE, EQUAL -> new Policy.Uncoded();
            case REPLICATED -> new Policy.Replicated(COPIES);
            case HEDGED ->
                new Policy.Hedged(
                        settings.get(ServingSettings.HEDGE_PERCENTILE), settings.get(ServingSettings.GROUP_WAIT));
            case AUTO -> new Policy.Auto(settings.get(ServingSettings.GROUP_WAIT));
            case BACKUP -> {
                files.put(Role.BACKUP, backup());
                yield new Policy.Backup();
            }
            case CODED -> coded(code.orElseThrow());
        };
    }

    private ModelFile backup() {
        Path other = settings.path(ServingSettings.BACKUP, "the policy backup needs a cheaper model");
        DeployedModel backup =
                load(other, options.withProtection(options.protection().measured()));
        if (!backup.input().shape().equals(deployed.input().shape())
                || backup.output().size() != deployed.output().size()) {
            throw new ModelException("the backup model must take rows of "
                    + deployed.input().shape() + " and answer "
                    + deployed.output().size()
                    + " values, as the deployed model does; " + other + " takes rows of "
                    + backup.input().shape() + " and answers " + backup.output().size()
                    + ": name another one with " + ServingSettings.BACKUP.key());
        }
        return backup.file();
    }

    private PredictionCode code() {
        String given = settings.get(CodedSettings.PARITY);
        Path folder = given.isEmpty() ? path.toAbsolutePath().getParent() : Path.of(given);
        if (Files.isDirectory(folder) && Codes.in(folder).isEmpty()) {
            throw new ModelException("the policy coded must have parity models, there is no " + Codes.FILES
                    + " in " + folder + ": make them with bin/paritas train parity, name their folder with "
                    + (settings.folder().isPresent()
                            ? "a load's parameter 'parity', or set another policy in the model's "
                                    + ModelFolder.SETTINGS
                            : CodedSettings.PARITY.key()
                                    + ", or a load's with its parameter 'parity', or choose another "
                                    + ServingSettings.POLICY.key()));
        }
        PredictionCode parity = Codes.read(folder);
        parity.bundle().requireFor(deployed.file());
        return parity;
    }

    private Policy coded(PredictionCode parity) {
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

    private Map<Role, Integer> instances(PolicyName name, Policy policy) {
        int m = settings.get(ServingSettings.INSTANCES);
        int k = policy instanceof Policy.Coded coded ? coded.code().k() : settings.get(ServingSettings.K);
        Map<Role, Integer> instances = new LinkedHashMap<>();
        policy.roles().forEach(role -> instances.put(role, PolicyName.others(m, k)));
        instances.put(Role.DEPLOYED, name.deployed(m, k));
        return instances;
    }

    /** The rows of a file are predicted once on the driver: what an instance could not predict is an error now. */
    private WarmUp warmUp(ServedModel served) {
        WarmUp warmUp = WarmUp.of(settings.get(ServingSettings.WARM_UP), path, served);
        if (warmUp.rows() > 0) {
            try (Model model = ModelEngines.load(deployed.file(), ModelEngines.onCpu(options))) {
                warmUp.run(model, Role.DEPLOYED, served);
            }
        }
        return warmUp;
    }
}
