/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.Samples;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.ecrm.host.ParameterServers;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Connected;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import io.paritas.spark.ecrm.transport.SparkTransport;
import io.paritas.spark.ecrm.transport.Transport;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A driver whose servers have gone back to a checkpoint once. */
class ServedStateTest {
    private static final ModelSpec MODEL = new ModelSpec(
            1,
            Redundancy.none(),
            List.of(new TableSpec(10, 4, new Optimizer.Sgd(1), new Initializer(0, 1, 1))),
            List.of());
    private static final View VIEW = View.of(List.of("localhost:1")).rolledBack();

    private static Transport driver() {
        LocalSpark.session();
        CompletableFuture<Transport> self = new CompletableFuture<>();
        Transport driver = SparkTransport.of(
                SparkEnv.get(),
                (envelope, bytes) -> self.join()
                        .send(new Envelope(Address.DRIVER, envelope.from(), VIEW.epoch(), new Connected(VIEW, 0)), ""),
                gone -> {});
        self.complete(driver);
        return driver;
    }

    @Test
    @Timeout(60)
    void whoConnectsAfterwardsIsRefused() throws InterruptedException {
        try (Transport driver = driver()) {
            ParameterServers.Location servers =
                    new ParameterServers.Location(MODEL, HostOptions.DEFAULT, driver.endpoint());
            assertThatThrownBy(() -> new ServedState(servers, 0).connect(9_001))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("servers must have the trained model, but they have gone back to the last checkpoint"
                            + " since the training: continue it with resume(folder of the checkpoints)");
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .doesNotContain("paritas-worker-9001");
            try (ParameterClient client = new ServedState(servers, 1).connect(9_002)) {
                assertThat(client.rollbacks()).isEqualTo(1);
            }
        }
    }

    /** As a task that Spark repeats. It trained a later epoch, before the driver went back to the one of the checkpoint. */
    @Test
    @Timeout(60)
    void aTaskOfBeforeEndsWithoutTraining() {
        TrainingPlan plan = SmallPlan.plan();
        Dataset<Row> samples =
                new GeneratedClicks(SmallPlan.TABLES, 1, 1, 1, 1).samples(LocalSpark.session(), 0, 10, 1);
        try (Transport driver = driver()) {
            ServedState before = new ServedState(
                    new ParameterServers.Location(plan.spec(), HostOptions.DEFAULT, driver.endpoint()), 0);
            Samples.internalRows(samples)
                    .toJavaRDD()
                    .foreachPartition(new TrainingTask(plan, before, driver.endpoint(), 1, 0));
        }
    }
}
