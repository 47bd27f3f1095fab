/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.DeployedModel;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.parity.ParityModels;
import io.paritas.inference.serving.Code;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.PolicyName;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.spark.SparkSetting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkConf;

/**
 * What a version of a model is served with. Immutable.
 *
 * @param served the model, as clients see it
 * @param files what the instances of each role run
 * @param instances how many of each role there are
 * @param options how they load it
 * @param cpus cores of an instance's task, 0 for what tasks have
 * @param gpus the same
 */
public record ServingPlan(
        ServedModel served,
        Map<Role, ModelFile> files,
        Map<Role, Integer> instances,
        ModelOptions options,
        int cpus,
        double gpus) {

    private static final int COPIES = 2;

    /** Checks that all roles have a file and instances. */
    public ServingPlan {
        files = Map.copyOf(files);
        instances = Map.copyOf(instances);
        for (Role role : served.policy().roles()) {
            if (!files.containsKey(role) || instances.getOrDefault(role, 0) < 1) {
                throw new IllegalArgumentException("serving " + served + " needs a model and at least 1 instance as "
                        + role + ", got models for " + files.keySet() + " and instances " + instances);
            }
        }
    }

    /**
     * The plan that an application's settings ask for.
     *
     * @throws ModelException if a model cannot be read, or the parity models belong to another
     * @throws IllegalArgumentException if a setting is wrong
     */
    public static ServingPlan of(SparkConf conf) {
        ServingSettings settings = new ServingSettings(conf);
        Path path = settings.path(SparkSetting.SERVING_MODEL, "serving needs a model");
        ModelOptions options = settings.model();
        DeployedModel deployed = load(path, options);
        Map<Role, ModelFile> files = new LinkedHashMap<>(Map.of(Role.DEPLOYED, deployed.file()));
        Policy policy = policy(settings, path, deployed, files);
        return new ServingPlan(
                new ServedModel(
                        settings.text(SparkSetting.SERVING_NAME),
                        settings.text(SparkSetting.SERVING_VERSION),
                        deployed.input(),
                        deployed.output(),
                        policy,
                        settings.limits()),
                files,
                instances(settings, policy),
                options,
                settings.whole(SparkSetting.TASK_CPUS, 0),
                settings.number(SparkSetting.TASK_GPUS));
    }

    private static DeployedModel load(Path path, ModelOptions options) {
        if (!Files.isRegularFile(path)) {
            throw new ModelException("there must be a model at '" + path + "', no such file is there on the driver");
        }
        ModelFile file = ModelFile.read(path);
        try (Model model = ModelEngines.load(file, options.withDevice(Device.CPU))) {
            return DeployedModel.of(file, model);
        }
    }

    private static Policy policy(
            ServingSettings settings, Path path, DeployedModel deployed, Map<Role, ModelFile> files) {
        return switch (name(settings)) {
            case NONE, EQUAL -> new Policy.Uncoded();
            case REPLICATED -> new Policy.Replicated(COPIES);
            case HEDGED ->
                new Policy.Hedged(
                        settings.number(SparkSetting.SERVING_HEDGE), settings.millis(SparkSetting.SERVING_GROUP_WAIT));
            case BACKUP -> {
                Path backup = settings.path(SparkSetting.SERVING_BACKUP, "the policy backup needs a cheaper model");
                files.put(Role.BACKUP, load(backup, settings.model()).file());
                yield new Policy.Backup();
            }
            case CODED -> coded(settings, path, deployed, files);
        };
    }

    private static PolicyName name(ServingSettings settings) {
        return PolicyName.of(settings.text(SparkSetting.SERVING_POLICY));
    }

    private static Policy coded(
            ServingSettings settings, Path path, DeployedModel deployed, Map<Role, ModelFile> files) {
        String given = settings.text(SparkSetting.PARITY);
        Path folder = given.isEmpty() ? path.toAbsolutePath().getParent() : Path.of(given);
        if (Files.isDirectory(folder) && !Files.exists(folder.resolve(ParityModels.KIND + ".json"))) {
            throw new ModelException("the policy coded needs parity models, and there is no " + ParityModels.KIND
                    + ".json in " + folder + ": say where they are with " + SparkSetting.PARITY.key() + ", make them"
                    + " with bin/paritas train parity, or choose another " + SparkSetting.SERVING_POLICY.key());
        }
        ParityModels parity = ParityModels.read(folder);
        parity.bundle().requireFor(deployed.file());
        int r = settings.whole(SparkSetting.R, 0);
        Code code = new Code(
                parity.plan(),
                r == 0 ? parity.plan().code().r() : r,
                deployed.input().shape());
        for (int number = 0; number < code.r(); number++) {
            files.put(Role.parity(number), parity.model(number));
        }
        return new Policy.Coded(
                code, settings.millis(SparkSetting.SERVING_GROUP_WAIT), settings.number(SparkSetting.SERVING_PATIENCE));
    }

    private static Map<Role, Integer> instances(ServingSettings settings, Policy policy) {
        int m = settings.whole(SparkSetting.SERVING_INSTANCES, 1);
        int k = policy instanceof Policy.Coded coded ? coded.code().k() : settings.whole(SparkSetting.SERVING_K, 2);
        Map<Role, Integer> instances = new LinkedHashMap<>();
        policy.roles().forEach(role -> instances.put(role, PolicyName.others(m, k)));
        instances.put(Role.DEPLOYED, name(settings).deployed(m, k));
        return instances;
    }

    /** Instances of all roles: the slots that are needed. */
    public int slots() {
        return instances.values().stream().mapToInt(Integer::intValue).sum();
    }
}
