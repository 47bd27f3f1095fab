/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StandaloneClusterTest {
    @Test
    void theReasonOfAFailureHasItsRootCause() {
        assertThat(StandaloneCluster.reason(Stream.of(
                        "Caused by: java.io.IOException: of something else",
                        "Exception in thread \"main\" org.apache.spark.SparkException: cannot read the file a.tsv",
                        "\tat a.B.c(B.java:1)",
                        "Caused by: a.Outer: it is malformed",
                        "Caused by: a.Inner: 2 values must be 3",
                        "12:00:00.001 WARN TaskSetManager: Lost task 0.0",
                        "Caused by: java.lang.InterruptedException: sleep interrupted")))
                .hasValue("cannot read the file a.tsv (2 values must be 3)");
        assertThat(StandaloneCluster.reason(Stream.of(
                        "Exception in thread \"main\" a.B: wrong: no such file", "Caused by: a.C: no such file")))
                .hasValue("wrong: no such file");
        assertThat(StandaloneCluster.reason(Stream.of("INFO all is well"))).isEmpty();
    }

    /** An executor that is larger than its worker would never start. */
    @Test
    void workersHaveTheMemoryOfExecutors() {
        assertThat(StandaloneCluster.Size.oneCoreEach(3, Map.of())).isEqualTo(new StandaloneCluster.Size(3, 1, 512));
        assertThat(StandaloneCluster.Size.oneCoreEach(3, Map.of("spark.executor.memory", "2g")))
                .isEqualTo(new StandaloneCluster.Size(3, 1, 2_048));
        assertThat(StandaloneCluster.Size.oneCoreEach(3, Map.of("spark.executor.memory", "480M")))
                .isEqualTo(new StandaloneCluster.Size(3, 1, 512));
    }

    @Test
    void theDriversMemoryIsItsHeap() {
        assertThat(StandaloneCluster.driverHeap(Map.of())).isEqualTo("-Xmx1g");
        assertThat(StandaloneCluster.driverHeap(Map.of("spark.driver.memory", "4g")))
                .isEqualTo("-Xmx4g");
    }
}
