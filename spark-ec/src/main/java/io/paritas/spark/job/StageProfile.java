/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.util.Optional;
import java.util.stream.Stream;
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
        return Stream.concat(Stream.of(rdd), CollectionConverters.asJava(rdd.getNarrowAncestors()).stream())
                .map(RDD::getResourceProfile)
                .filter(profile -> profile != null && !(profile instanceof TaskResourceProfile))
                .findFirst();
    }
}
