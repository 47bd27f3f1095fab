/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerBlockManagerRemoved;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import scala.Option;

class EndedApplicationTest {
    /** Spark tells listeners of executors that end with their application, too. */
    @Test
    void nobodyRepairsAnyMore() throws Exception {
        SparkSession spark = PluginSession.start(PluginSession.builder());
        SparkContext context = spark.sparkContext();
        ErasureCoded.unpersist(ErasureCoded.persist(spark.range(1), "rs-1-1"));
        try (Logged logged = new Logged("org.apache.spark.scheduler.AsyncEventQueue")) {
            context.listenerBus().post(new SparkListenerApplicationEnd(1, Option.empty()));
            context.listenerBus()
                    .post(new SparkListenerBlockManagerRemoved(
                            1, SparkEnv.get().blockManager().blockManagerId()));
            context.listenerBus().waitUntilEmpty();
            assertThat(logged.lines()).noneMatch(line -> line.startsWith("ERROR"));
        }
        spark.stop();
    }
}
