/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import io.paritas.spark.job.ApplicationExecutors;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.SparkContext;
import org.apache.spark.storage.BlockManagerId;

/** Where the units of stripes may be, as the driver knows now. */
final class Cluster {
    private Cluster() {}

    /** Whether any executor may keep units. Only in local mode the driver is one. */
    static boolean hasExecutors(SparkContext context) {
        return context.isLocal() || !ApplicationExecutors.all().isEmpty();
    }

    /** Placement on all executors that stay: by host if there is a host for each unit of a stripe, by executor otherwise. */
    static UnitPlacement<BlockManagerId> placement(CodeName code) {
        List<BlockManagerId> executors = ApplicationExecutors.stayingOrAny();
        long hosts = executors.stream().map(BlockManagerId::host).distinct().count();
        Function<BlockManagerId, ?> domain = hosts >= code.n() ? BlockManagerId::host : Function.identity();
        return new UnitPlacement<>(code, executors, domain);
    }
}
