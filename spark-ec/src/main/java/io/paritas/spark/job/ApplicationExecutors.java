/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.util.Collection;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.FallbackStorage;
import scala.jdk.javaapi.CollectionConverters;

/** The executors of the application, among the block managers that Spark knows. */
public final class ApplicationExecutors {
    private ApplicationExecutors() {}

    /** Those that there are now. */
    public static List<BlockManagerId> all() {
        return among(CollectionConverters.asJava(
                        SparkEnv.get().blockManager().master().getMemoryStatus())
                .keySet());
    }

    /** Those that Spark has not told to leave: they take blocks. On the driver. */
    public static List<BlockManagerId> staying() {
        BlockManagerId driver = SparkEnv.get().blockManager().blockManagerId();
        return among(CollectionConverters.asJava(
                SparkEnv.get().blockManager().master().getPeers(driver)));
    }

    /** Those that stay; if none does, all; the driver if it is alone. On the driver. */
    public static List<BlockManagerId> stayingOrAny() {
        List<BlockManagerId> staying = staying();
        return staying.isEmpty() ? allOrDriver() : staying;
    }

    /** Those that there are now; the driver counts as one only if it is alone. On the driver. */
    public static List<BlockManagerId> allOrDriver() {
        List<BlockManagerId> executors = all();
        return executors.isEmpty() ? List.of(SparkEnv.get().blockManager().blockManagerId()) : executors;
    }

    /** The executors among some block managers. */
    public static List<BlockManagerId> among(Collection<BlockManagerId> managers) {
        return managers.stream()
                .filter(manager -> !manager.isDriver() && !isFallbackStorage(manager))
                .toList();
    }

    /** Whether it is the folder for files of executors that leave, which Spark registers like an executor. Nobody can connect to it. */
    public static boolean isFallbackStorage(BlockManagerId manager) {
        return manager.executorId()
                .equals(FallbackStorage.FALLBACK_BLOCK_MANAGER_ID().executorId());
    }
}
