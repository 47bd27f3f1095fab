/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import java.util.List;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;

/** Lets a JVM load what executors need, {@link SparkArchive} keeps it: the tasks of usual queries, and connections. */
public final class ArchivedProgram {
    /** What only the JVM of an executor loads. */
    private static final List<String> OF_EXECUTORS = List.of(
            "org.apache.spark.executor.CoarseGrainedExecutorBackend",
            "org.apache.spark.executor.CoarseGrainedExecutorBackend$",
            "org.apache.spark.executor.CoarseGrainedExecutorBackend$Arguments",
            "org.apache.spark.deploy.worker.WorkerWatcher");

    private ArchivedProgram() {}

    /** The argument is a folder to write to. */
    public static void main(String[] arguments) throws Exception {
        for (String name : OF_EXECUTORS) {
            Class.forName(name);
        }
        try (SparkSession session = builder("local[2]").getOrCreate()) {
            query(session, arguments[0]);
        }
        try (SparkSession session = builder("local-cluster[1,1,512]")
                .config("spark.executor.memory", "512m")
                .config("spark.authenticate", true)
                .config("spark.authenticate.secret", "of a program that only loads classes")
                .getOrCreate()) {
            session.range(0, 4, 1, 2).repartition(2).persist().count();
        }
    }

    private static SparkSession.Builder builder(String master) {
        return SparkSession.builder()
                .master(master)
                .config("spark.ui.enabled", false)
                .config("spark.sql.shuffle.partitions", 2)
                .config("spark.sql.autoBroadcastJoinThreshold", -1);
    }

    private static void query(SparkSession session, String folder) {
        Dataset<Long> rows = session.range(0, 100, 1, 3)
                .map((MapFunction<Long, Long>) row -> row + 1, Encoders.LONG())
                .repartition(2)
                .mapPartitions((MapPartitionsFunction<Long, Long>) all -> all, Encoders.LONG())
                .persist();
        rows.join(rows.groupBy("value").count(), "value")
                .orderBy("value")
                .write()
                .mode("overwrite")
                .parquet(folder);
        session.read().parquet(folder).where("value > 2").collectAsList();
        rows.unpersist(true);
    }
}
