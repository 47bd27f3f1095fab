/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparkHomeTest {
    @Test
    void submitsEveryModuleForSparkAndNothingThatSparkHas() {
        String classPath = String.join(
                File.pathSeparator,
                List.of(
                        "m/paritas-examples-0.1.0.jar",
                        "m/paritas-hdfs-codec-0.1.0.jar",
                        "m/paritas-spark-ec_2.13-0.1.0.jar",
                        "m/paritas-spark-inference_2.13-0.1.0.jar",
                        "m/grpc-netty-1.83.1.jar",
                        "m/opentelemetry-api-1.66.0.jar",
                        "m/perfmark-api-0.27.0.jar",
                        "m/netty-codec-http2-4.2.13.Final.jar",
                        "m/spark-core_2.13-4.2.0.jar",
                        "m/hadoop-common-3.5.0.jar",
                        "spark-ec/target/classes"));

        assertThat(SparkHome.paritas(classPath))
                .extracting(Path::getFileName)
                .hasToString("[paritas-hdfs-codec-0.1.0.jar, paritas-spark-ec_2.13-0.1.0.jar,"
                        + " paritas-spark-inference_2.13-0.1.0.jar, grpc-netty-1.83.1.jar, opentelemetry-api-1.66.0.jar,"
                        + " perfmark-api-0.27.0.jar]");
    }

    @Test
    void submitsTheOneJarOfADistribution() {
        String classPath = String.join(
                File.pathSeparator,
                List.of(
                        "lib/paritas-examples-0.1.0.jar",
                        "spark/paritas-spark_2.13-0.1.0.jar",
                        "spark/paritas-spark_2.13-0.1.0.jar",
                        "gpu/paritas-gpu-0.1.0.jar"));

        assertThat(SparkHome.paritas(classPath)).containsExactly(Path.of("spark/paritas-spark_2.13-0.1.0.jar"));
    }

    @Test
    void theEngineForGpusComesWithItsBinding() {
        String classPath = String.join(
                File.pathSeparator,
                List.of(
                        "lib/paritas-examples-0.1.0.jar",
                        "spark/paritas-spark_2.13-0.1.0.jar",
                        "gpu/paritas-gpu-0.1.0.jar",
                        "gpu/jcuda-12.6.0.jar",
                        "gpu/jcuda-natives-12.6.0-linux-x86_64.jar"));

        assertThat(SparkHome.withGpu(classPath))
                .extracting(Path::getFileName)
                .hasToString("[paritas-spark_2.13-0.1.0.jar, paritas-gpu-0.1.0.jar, jcuda-12.6.0.jar,"
                        + " jcuda-natives-12.6.0-linux-x86_64.jar]");
    }

    @Test
    void aFolderOfJarsIsASpark(@TempDir Path folder) throws Exception {
        Path core = Files.createFile(folder.resolve("spark-core_2.13-4.2.0.jar"));
        Files.createFile(folder.resolve("README"));

        assertThat(SparkHome.resolve(folder)).containsExactly(core);
    }

    /** A link to it would lead nowhere from another folder. */
    @Test
    void aSparkMayHaveARelativePath(@TempDir Path folder) throws Exception {
        Path core = Files.createFile(folder.resolve("spark-core_2.13-4.2.0.jar"));
        Path link = create(folder.resolve("home"), Path.of("").toAbsolutePath().relativize(folder))
                .jars()
                .resolve(core.getFileName());
        assertThat(link).exists();
        assertThat(Files.readSymbolicLink(link)).isAbsolute();
    }

    private static SparkHome create(Path home, Path spark) throws Exception {
        System.setProperty("paritas.spark.classpath", spark.toString());
        try {
            return SparkHome.create(home);
        } finally {
            System.clearProperty("paritas.spark.classpath");
        }
    }

    /** Executors with classes of two versions of Spark do not start. */
    @Test
    void aHomeHasTheJarsOfOneSpark(@TempDir Path folder) throws Exception {
        Path home = folder.resolve("home");
        for (String version : List.of("4.2.0", "4.2.1")) {
            Path spark = Files.createDirectory(folder.resolve(version));
            Files.createFile(spark.resolve("spark-core_2.13-" + version + ".jar"));
            Path jars = create(home, spark).jars();
            Path own = jars.resolve("own.jar");
            if (!Files.exists(own)) {
                Files.createFile(own);
            }

            assertThat(jars)
                    .isDirectoryNotContaining(
                            jar -> !jar.equals(own) && !jar.endsWith("spark-core_2.13-" + version + ".jar"));
            assertThat(jars.resolve("spark-core_2.13-" + version + ".jar")).exists();
            assertThat(own).exists();
        }
    }

    @Test
    void anotherSparkIsRefused(@TempDir Path folder) throws Exception {
        Files.createFile(folder.resolve("spark-core_2.13-4.1.0.jar"));

        for (Path path : List.of(folder, folder.resolve("missing"))) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> SparkHome.resolve(path))
                    .withMessage(
                            "this takes Spark 4.2 with Scala 2.13, no spark-core_2.13-4.2.*.jar is in " + path
                                    + ": set SPARK_HOME to such a Spark, or unpack paritas-VERSION-spark.tar.gz beside bin/paritas");
        }
    }
}
