/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkConf;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.ResourceProfileManager;
import org.apache.spark.scheduler.LiveListenerBus;
import org.junit.jupiter.api.Test;

class TaskProfileTest {
    private final SparkConf conf = new SparkConf(false).setMaster("spark://driver:7077");
    private final ResourceProfileManager known = new ResourceProfileManager(conf, new LiveListenerBus(conf));

    @Test
    void equalResourcesHaveOneProfile() {
        ResourceProfile first = TaskProfile.of(known, 2, 0);

        assertThat(TaskProfile.of(known, 2, 0)).isSameAs(first);
        assertThat(known.resourceProfileFromId(first.id())).isSameAs(first);
        assertThat(first.getTaskCpus().get()).isEqualTo(2);
    }

    @Test
    void otherResourcesHaveAnotherProfile() {
        ResourceProfile two = TaskProfile.of(known, 2, 0);

        assertThat(TaskProfile.of(known, 3, 0)).isNotEqualTo(two);
        assertThat(TaskProfile.of(known, 2, 0)).isSameAs(two);
    }

    @Test
    void noResourcesAreThoseOfOtherTasks() {
        assertThat(TaskProfile.of(known, 0, 0)).isSameAs(known.defaultResourceProfile());
    }
}
