/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ecrm.host.ServerSupervisor.StoredCheckpoint;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.ViewMessage.Offer;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovering;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which candidates become servers, by messages at times that the test chooses. Two servers and a spare, on executors a and b. */
class ServerSupervisorTest {
    private static final ModelSpec MODEL = new ModelSpec(
            2,
            Redundancy.replicated(),
            List.of(new TableSpec(10, 4, new Optimizer.Sgd(1), new Initializer(0, 1, 1))),
            List.of(new BlockSpec(3, new Optimizer.Sgd(1), new Initializer(0, 2, 2))));
    private static final HostOptions OPTIONS = HostOptions.DEFAULT
            .withHeartbeatTimeout(Duration.ofSeconds(10))
            .withPlacementTimeout(Duration.ofSeconds(200));

    private ServerJobs jobs;
    private EventLoop loop;
    private ServerSupervisor supervisor;
    private long now = 1000;

    @BeforeEach
    void begin() {
        JavaSparkContext spark =
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        // The tasks run, and reach nobody: the test speaks for them.
        jobs = new ServerJobs(spark, new ServerTask(MODEL, OPTIONS, "localhost:1"), OPTIONS.tasks(MODEL));
        loop = new EventLoop("nobody", OPTIONS.timing(), own -> new EventHandler() {
            @Override
            public void receive(Envelope envelope, long time) {}

            @Override
            public void tick(long time) {}

            @Override
            public String endpoint(Address receiver) {
                return "";
            }
        });
        supervisor = new ServerSupervisor(MODEL, OPTIONS, Optional.of(new StoredCheckpoint("none", 1)), loop, jobs);
        supervisor.tick(now);
        offer(0, "a");
        offer(1, "b");
        offer(2, "a");
        assertThat(supervisor.executors()).containsExactly("a", "b");
    }

    @AfterEach
    void end() {
        jobs.close();
        loop.close();
    }

    private void receive(Address from, Message message) {
        now += 10;
        supervisor.receive(new Envelope(from, Address.DRIVER, 0, message), now);
    }

    private void offer(int task, String executor) {
        receive(Address.candidate(task), new Offer(task, "localhost:" + (2 + task), executor));
    }

    private void loseRows() {
        receive(Address.server(0, 1), new Recovering(1, 10, 1));
    }

    /** The server on b has not heard yet that it is none any more. Beside the one on a, both would be lost with one executor. */
    @Test
    void serversThatGoBackWaitForEachOther() {
        loseRows();
        assertThat(supervisor.executors()).containsExactly("a");
        offer(0, "a");
        assertThat(supervisor.executors()).containsExactly("a");
        offer(1, "b");
        assertThat(supervisor.executors()).containsExactly("a", "b");
    }

    /** One that is frozen never comes back: its task is started again. */
    @Test
    void aServerThatDoesNotComeBackIsStartedAgain() {
        loseRows();
        offer(0, "a");
        assertThat(jobs.isCurrent(1)).isTrue();
        now += OPTIONS.heartbeatTimeout().toMillis();
        supervisor.tick(now);
        assertThat(jobs.isCurrent(1)).isFalse();
        assertThat(jobs.isCurrent(3)).isTrue();
        offer(3, "c");
        assertThat(supervisor.executors()).contains("c");
    }
}
