/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.suites;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.classic.SparkSession$;
import org.apache.spark.sql.test.TestSparkSession;

/** Sessions for Spark's suites of queries, which run in one JVM otherwise, where nothing is coded. */
final class Executors {
    private Executors() {}

    /** A session with as many executors, each a process with a core, as {@code paritas-4-1} wants. */
    static TestSparkSession session(SparkConf settings) {
        SparkSession$.MODULE$.cleanupAnyExistingSession();
        settings.set("spark.executor.memory", "512m");
        settings.set("spark.sql.testkey", "true");
        return new TestSparkSession(new SparkContext("local-cluster[5,1,512]", "suite", settings));
    }
}
