/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.List;
import java.util.Map;

/**
 * How one version of a model does.
 *
 * @param model which
 * @param current whether queries that name no version go to it
 * @param draining whether it takes no more queries
 * @param instances that are ready, and how many batches each has
 * @param gone instances that were lost or ended, until others take their places
 * @param waiting work that waits for an instance, by role
 * @param unanswered queries without a reply
 * @param meter what was done so far
 */
public record ModelStatus(
        ServedModel model,
        boolean current,
        boolean draining,
        Map<Instance, Integer> instances,
        List<Instance> gone,
        Map<Role, Integer> waiting,
        int unanswered,
        Meter meter) {

    /** Whether queries can be predicted. */
    public boolean isReady() {
        return !draining && instances(Role.DEPLOYED) > 0;
    }

    /** Instances of a role. */
    public long instances(Role role) {
        return instances.keySet().stream()
                .filter(instance -> instance.role().equals(role))
                .count();
    }
}
