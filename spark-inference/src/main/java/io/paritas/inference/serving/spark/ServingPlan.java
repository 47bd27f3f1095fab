/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.PublicApi;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.ServedModel;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;

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
        return new ServingConf(conf)
                .folder()
                .map(folder -> folder.entries().stream()
                        .map(entry -> of(FolderSettings.of(conf, entry)))
                        .toList())
                .orElseGet(() -> List.of(of(conf)));
    }

    /**
     * The plan that an application's settings describe.
     *
     * @throws ModelException if a model cannot be read, or the parity models belong to another
     * @throws IllegalArgumentException if a setting is wrong
     */
    public static ServingPlan of(SparkConf conf) {
        return new PlanReader(conf).read();
    }

    /** How instances load the model of a role, on the GPU that they are given. */
    ModelOptions loading(Role role) {
        ModelOptions loading = options.withInputShape(served.input().shape());
        return role.equals(Role.DEPLOYED)
                ? loading
                : loading.withProtection(loading.protection().measured());
    }

    /** The number of instances of all roles, each of which takes a slot; spares take one each beside them. */
    public int slots() {
        return instances.values().stream().mapToInt(Integer::intValue).sum();
    }
}
