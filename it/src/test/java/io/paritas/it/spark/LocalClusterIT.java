/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.SparkHome;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Spark's own cluster for tests: master and workers in this JVM, executors in processes, all on one host. It takes the
 * home from the environment.
 */
class LocalClusterIT {
    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @Test
    void runsOnTheHomeMadeOfMavensArtifacts() throws Exception {
        SPARK.endApplication();
        SparkHome.create(Path.of(System.getenv("SPARK_HOME")));
        try (SparkSession session = SparkSession.builder()
                .master("local-cluster[2,1,512]")
                .config("spark.executor.memory", "512m")
                .config("spark.ui.enabled", false)
                .config("spark.jars", SharedSpark.jars())
                .getOrCreate()) {
            List<String> executors = new JavaSparkContext(session.sparkContext())
                    .parallelize(List.of(1, 2, 3, 4), 4)
                    .map(row -> SparkEnv.get().executorId())
                    .distinct()
                    .collect();

            assertThat(executors).isNotEmpty().isSubsetOf("0", "1");
        }
    }
}
