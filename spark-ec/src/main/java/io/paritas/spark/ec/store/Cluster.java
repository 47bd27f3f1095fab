/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManagerId;
import scala.jdk.javaapi.CollectionConverters;

/** The executors of the application, as the driver knows them now. */
final class Cluster {
    private Cluster() {}

    /** All executors that keep blocks; the driver counts as one only if it is alone. */
    static List<BlockManagerId> executors() {
        Collection<BlockManagerId> all = CollectionConverters.asJava(
                        SparkEnv.get().blockManager().master().getMemoryStatus())
                .keySet();
        List<BlockManagerId> executors =
                all.stream().filter(executor -> !executor.isDriver()).toList();
        return executors.isEmpty() ? List.copyOf(all) : executors;
    }

    /** Placement on these executors: by host if there is a host for each unit of a stripe, by executor otherwise. */
    static UnitPlacement<BlockManagerId> placement(CodeName code) {
        List<BlockManagerId> executors = executors();
        long hosts = executors.stream().map(BlockManagerId::host).distinct().count();
        Function<BlockManagerId, ?> domain = hosts >= code.n() ? BlockManagerId::host : Function.identity();
        return new UnitPlacement<>(code.k(), code.parameters().r(), executors, domain);
    }
}
