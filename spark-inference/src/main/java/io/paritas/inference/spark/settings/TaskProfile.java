/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.ResourceProfileBuilder;
import org.apache.spark.resource.ResourceProfileManager;
import org.apache.spark.resource.TaskResourceRequests;
import scala.Option;

/**
 * The resource profile of tasks that predict. An application has one for equal resources: Spark refuses a stage with two, even if they
 * are alike, and starts executors for each of its own where it allocates them dynamically.
 */
public final class TaskProfile {
    private TaskProfile() {}

    /**
     * The profile of an application with these resources.
     *
     * @param cpus cores of a task; 0 for those of other tasks
     * @param gpus GPUs of a task; 0 for none
     * @return the default one if both are 0
     */
    public static ResourceProfile of(ResourceProfileManager known, int cpus, double gpus) {
        if (cpus == 0 && gpus == 0) {
            return known.defaultResourceProfile();
        }
        TaskResourceRequests requests = new TaskResourceRequests();
        if (cpus > 0) {
            requests.cpus(cpus);
        }
        if (gpus > 0) {
            requests.resource("gpu", gpus);
        }
        ResourceProfile profile = new ResourceProfileBuilder().require(requests).build();
        synchronized (TaskProfile.class) { // two queries may begin at once
            Option<ResourceProfile> same = known.getEquivalentProfile(profile);
            if (same.isDefined()) {
                return same.get();
            }
            known.addResourceProfile(profile);
            return profile;
        }
    }
}
