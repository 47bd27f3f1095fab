/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.recommend.LocalSpark;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.ResourceProfile$;
import org.apache.spark.resource.ResourceProfileManager;
import org.apache.spark.scheduler.LiveListenerBus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TaskProfileTest {
    private final SparkConf conf = new SparkConf(false).setMaster("spark://driver:7077");
    private final SparkConf local = LocalSpark.session().sparkContext().getConf();

    /** A JVM has one default profile. */
    private ResourceProfileManager application() {
        ResourceProfile$.MODULE$.reInitDefaultProfile(conf);
        return new ResourceProfileManager(conf, new LiveListenerBus(conf));
    }

    @AfterEach
    void restoreTheDefaultProfile() {
        ResourceProfile$.MODULE$.reInitDefaultProfile(local);
    }

    private void executorsHaveTwoGpus() {
        conf.set("spark.executor.resource.gpu.amount", "2").set("spark.task.resource.gpu.amount", "0.25");
    }

    private static Map<String, Double> resources(ResourceProfile profile) {
        Map<String, Double> amounts = new HashMap<>();
        profile.taskResourcesJMap().forEach((name, request) -> amounts.put(name, request.amount()));
        return amounts;
    }

    @Test
    void equalResourcesHaveOneProfile() {
        ResourceProfileManager known = application();
        ResourceProfile first = TaskProfile.of(known, conf, 2, 0);

        assertThat(TaskProfile.of(known, conf, 2, 0)).isSameAs(first);
        assertThat(known.resourceProfileFromId(first.id())).isSameAs(first);
        assertThat(resources(first)).isEqualTo(Map.of("cpus", 2.0));
    }

    @Test
    void otherResourcesHaveAnotherProfile() {
        ResourceProfileManager known = application();
        ResourceProfile two = TaskProfile.of(known, conf, 2, 0);

        assertThat(TaskProfile.of(known, conf, 3, 0)).isNotEqualTo(two);
        assertThat(TaskProfile.of(known, conf, 2, 0)).isSameAs(two);
    }

    @Test
    void noResourcesAreThoseOfOtherTasks() {
        ResourceProfileManager known = application();
        assertThat(TaskProfile.of(known, conf, 0, 0)).isSameAs(known.defaultResourceProfile());
    }

    @Test
    void whatIsNotGivenIsThatOfOtherTasks() {
        executorsHaveTwoGpus();
        conf.set("spark.task.cpus", "3").set("spark.executor.cores", "12");
        ResourceProfileManager known = application();

        assertThat(resources(TaskProfile.of(known, conf, 2, 0))).isEqualTo(Map.of("cpus", 2.0, "gpu", 0.25));
        assertThat(resources(TaskProfile.of(known, conf, 0, 0.5))).isEqualTo(Map.of("cpus", 3.0, "gpu", 0.5));
        assertThat(resources(TaskProfile.of(known, conf, 4, 1))).isEqualTo(Map.of("cpus", 4.0, "gpu", 1.0));
    }

    /** Spark keeps a profile that it refuses: later queries with it would wait for ever. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void moreGpusThanAnExecutorHasAreRefused(boolean dynamic) {
        conf.set("spark.dynamicAllocation.enabled", String.valueOf(dynamic));
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> TaskProfile.of(application(), conf, 0, 0.5))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the GPUs of a task must be at most those of an executor, 0"
                            + " (spark.executor.resource.gpu.amount), got 0.5 (spark.paritas.engine.taskGpus): start the"
                            + " application with more, or leave that out");
        }
        executorsHaveTwoGpus();
        ResourceProfileManager known = application();
        assertThat(resources(TaskProfile.of(known, conf, 0, 2))).containsEntry("gpu", 2.0);
        assertThatThrownBy(() -> TaskProfile.of(known, conf, 0, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the GPUs of a task must be at most those of an executor, 2 ");
    }

    /** Spark refuses the first query only. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void moreCoresThanAnExecutorHasAreRefused(boolean dynamic) {
        conf.set("spark.dynamicAllocation.enabled", String.valueOf(dynamic)).set("spark.executor.cores", "2");
        ResourceProfileManager known = application();
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> TaskProfile.of(known, conf, 4, 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "the cores of a task must be at most those of an executor, 2 (spark.executor.cores), got 4"
                                    + " (spark.paritas.engine.taskCpus): start the application with more, or leave that out");
        }
        assertThat(resources(TaskProfile.of(known, conf, 2, 0))).isEqualTo(Map.of("cpus", 2.0));
    }

    /** Their executors have one core each where nothing else is said. */
    @Test
    void moreThanOneCoreIsRefusedOnYarnWithoutASetting() {
        conf.setMaster("yarn");
        assertThatThrownBy(() -> TaskProfile.of(application(), conf, 2, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the cores of a task must be at most those of an executor, 1 ");
    }

    /** Spark starts executors for such a profile, and gives those of a profile of tasks only no GPUs. */
    @Test
    void executorsThatAreAllocatedDynamicallyAreLikeTheOthers() {
        executorsHaveTwoGpus();
        conf.set("spark.dynamicAllocation.enabled", "true").set("spark.executor.cores", "8");
        ResourceProfileManager known = application();

        ResourceProfile profile = TaskProfile.of(known, conf, 2, 0);
        assertThat(profile.executorResources())
                .isEqualTo(known.defaultResourceProfile().executorResources());
        assertThat(profile.getCustomExecutorResources().contains("gpu")).isTrue();
        assertThat(resources(profile)).isEqualTo(Map.of("cpus", 2.0, "gpu", 0.25));
        assertThat(profile.maxTasksPerExecutor(conf)).isEqualTo(4);
        assertThat(TaskProfile.of(known, conf, 2, 0)).isSameAs(profile);
        assertThat(resources(TaskProfile.of(known, conf, 0, 0.5))).isEqualTo(Map.of("cpus", 1.0, "gpu", 0.5));
    }
}
