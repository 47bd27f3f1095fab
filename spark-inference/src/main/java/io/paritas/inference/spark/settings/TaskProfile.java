/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.resource.ExecutorResourceRequest;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.ResourceProfileManager;
import org.apache.spark.resource.TaskResourceProfile;
import org.apache.spark.resource.TaskResourceRequests;
import scala.Option;

/**
 * The resource profile of tasks that predict. An application has one for equal resources: Spark refuses a stage with two, even if they
 * are alike, and starts executors for each of its own where it allocates them dynamically.
 */
public final class TaskProfile {
    private static final String GPU = "gpu";

    private TaskProfile() {}

    /**
     * The profile of an application with these resources. What is not given is that of other tasks, GPUs among it.
     *
     * @param cpus cores of a task; 0 for those of other tasks
     * @param gpus GPUs of a task; 0 for those of other tasks
     * @return the default one if both are 0
     * @throws IllegalArgumentException if no executor of the application has as many; Spark would wait for one for ever
     */
    public static ResourceProfile of(SparkContext spark, int cpus, double gpus) {
        return of(spark.resourceProfileManager(), spark.getConf(), cpus, gpus);
    }

    static ResourceProfile of(ResourceProfileManager known, SparkConf conf, int cpus, double gpus) {
        ResourceProfile usual = known.defaultResourceProfile();
        if (cpus == 0 && gpus == 0) {
            return usual;
        }
        requireCores(usual, conf, cpus);
        requireGpus(usual, gpus);
        TaskResourceRequests requests = new TaskResourceRequests();
        usual.taskResourcesJMap().values().forEach(requests::addRequest);
        if (cpus > 0) {
            requests.cpus(cpus);
        }
        if (gpus > 0) {
            requests.resource(GPU, gpus);
        }
        return registered(known, profile(usual, requests, conf));
    }

    /** A standalone cluster gives an executor all cores of its worker, unless told otherwise: how many is not known here. */
    private static void requireCores(ResourceProfile usual, SparkConf conf, int cpus) {
        boolean isOneProcess =
                conf.get("spark.master", "").matches("local(\\[.*)?"); // where Spark refuses all profiles
        Option<Object> cores = isOneProcess ? Option.empty() : usual.getExecutorCores();
        if (cores.isDefined() && cpus > (int) cores.get()) {
            throw new IllegalArgumentException(
                    "the cores of a task must be at most those of an executor, " + cores.get()
                            + " (spark.executor.cores), got " + cpus + " (" + EngineSettings.TASK_CPUS.key()
                            + "): start the application with more, or leave that out");
        }
    }

    private static void requireGpus(ResourceProfile usual, double gpus) {
        ExecutorResourceRequest executors = usual.executorResourcesJMap().get(GPU);
        long most = executors == null ? 0 : executors.amount();
        if (gpus > most) {
            throw new IllegalArgumentException("the GPUs of a task must be at most those of an executor, " + most
                    + " (spark.executor.resource.gpu.amount), got " + gpus + " (" + EngineSettings.TASK_GPUS.key()
                    + "): start the application with more, or leave that out");
        }
    }

    /** Where executors are allocated dynamically, those for a profile of tasks only would have no GPUs. */
    private static ResourceProfile profile(ResourceProfile usual, TaskResourceRequests requests, SparkConf conf) {
        return conf.getBoolean("spark.dynamicAllocation.enabled", false)
                ? new ResourceProfile(usual.executorResources(), requests.requests())
                : new TaskResourceProfile(requests.requests());
    }

    /** Two queries may begin at once. */
    private static synchronized ResourceProfile registered(ResourceProfileManager known, ResourceProfile profile) {
        Option<ResourceProfile> same = known.getEquivalentProfile(profile);
        if (same.isDefined()) {
            return same.get();
        }
        known.addResourceProfile(profile);
        return profile;
    }
}
