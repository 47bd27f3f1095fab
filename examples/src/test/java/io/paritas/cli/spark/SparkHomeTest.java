/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

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
                        "m/perfmark-api-0.27.0.jar",
                        "m/netty-codec-http2-4.2.13.Final.jar",
                        "m/spark-core_2.13-4.2.0.jar",
                        "m/hadoop-common-3.5.0.jar",
                        "spark-ec/target/classes"));

        assertThat(SparkHome.paritas(classPath))
                .extracting(Path::getFileName)
                .hasToString("[paritas-hdfs-codec-0.1.0.jar, paritas-spark-ec_2.13-0.1.0.jar,"
                        + " paritas-spark-inference_2.13-0.1.0.jar, grpc-netty-1.83.1.jar, perfmark-api-0.27.0.jar]");
    }
}
