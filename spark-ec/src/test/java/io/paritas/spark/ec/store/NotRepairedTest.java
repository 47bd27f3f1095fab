/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.PluginSession;
import java.io.IOException;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/** Applications without repair in the background. */
class NotRepairedTest {
    @Test
    void rowsThatWereDroppedAreForgotten() throws IOException {
        try (SparkSession spark =
                PluginSession.start(PluginSession.builder().config("spark.paritas.ec.repair.enabled", "false"))) {
            for (int time = 0; time < 4; time++) {
                ErasureCoded.unpersist(ErasureCoded.persist(spark.range(1), "rs-1-1"));
            }
            assertThat(Repairer.known(spark.sparkContext()).orElseThrow().watched())
                    .isEqualTo(1);
        }
    }
}
