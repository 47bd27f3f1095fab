/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.NarrowDependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.TaskResourceProfile;
import scala.jdk.javaapi.CollectionConverters;

/** The resource profile of the stage that computes an RDD. */
public final class StageProfile {
    private StageProfile() {}

    /**
     * Returns the profile whose executors compute an RDD; empty if all executors do. With dynamic allocation, Spark runs tasks of other
     * profiles on other executors, and where those of one have all cores or GPUs, it waits for others for ever.
     */
    public static Optional<ResourceProfile> ofExecutors(RDD<?> rdd) {
        Set<Integer> seen = new HashSet<>();
        Deque<RDD<?>> stage = new ArrayDeque<>(Set.of(rdd));
        while (!stage.isEmpty()) {
            RDD<?> next = stage.remove();
            ResourceProfile profile = next.getResourceProfile();
            if (profile != null && !(profile instanceof TaskResourceProfile)) {
                return Optional.of(profile);
            }
            if (seen.add(next.id())) {
                CollectionConverters.asJava(next.dependencies()).stream()
                        .filter(NarrowDependency.class::isInstance)
                        .forEach(narrow -> stage.add(narrow.rdd()));
            }
        }
        return Optional.empty();
    }
}
