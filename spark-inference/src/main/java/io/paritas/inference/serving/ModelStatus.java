/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import java.util.List;
import java.util.Map;

/**
 * The status of one version of a model.
 *
 * @param model the version
 * @param current whether queries that name no version go to it
 * @param draining whether it takes no more queries
 * @param instances that are ready, and the number of batches that each has
 * @param gone instances that were lost or ended and are not replaced yet
 * @param backlog what is not done yet
 * @param meter counts and latencies since the start
 */
@PublicApi
public record ModelStatus(
        ServedModel model,
        boolean current,
        boolean draining,
        Map<Instance, Integer> instances,
        List<Instance> gone,
        Backlog backlog,
        Meter meter) {

    /**
     * What is not done yet.
     *
     * @param waiting how much work waits for an instance, by role
     * @param unanswered how many queries have no reply
     */
    public record Backlog(Map<Role, Integer> waiting, int unanswered) {}

    /** Whether it takes queries and has an instance of the deployed model. */
    public boolean isReady() {
        return !draining && instances(Role.DEPLOYED) > 0;
    }

    /** The number of ready instances of a role. */
    public long instances(Role role) {
        return instances.keySet().stream()
                .filter(instance -> instance.role().equals(role))
                .count();
    }
}
