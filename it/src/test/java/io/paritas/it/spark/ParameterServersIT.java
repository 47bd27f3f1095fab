/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.it.Await;
import io.paritas.it.LongTest;
import io.paritas.spark.ecrm.client.RolledBackException;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.ecrm.host.ParameterServers;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.table.Redundancy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Parameter servers in executors that are killed and frozen: what is read is what one machine would have, bit for bit. */
@Order(SparkClusters.PLAIN)
@Tag(SparkClusters.SHARED)
class ParameterServersIT {
    private static final Duration WAIT = Duration.ofMinutes(4);
    /* A new executor may take long on a busy machine, and what is asserted is not how long. */
    private static final HostOptions PATIENT = HostOptions.DEFAULT
            .withPlacementTimeout(Duration.ofSeconds(200))
            .withPace(new RecoveryPace(10, 1024, 0.25));
    private static final Duration TURN = Duration.ofMillis(80);

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private final LocalTraining training = new LocalTraining();

    private static JavaSparkContext spark() throws Exception {
        return JavaSparkContext.fromSparkContext(SPARK.session().sparkContext());
    }

    private static ExecutorProcess executor(ParameterServers servers, int server) {
        return SPARK.executor(servers.state().executors().get(server));
    }

    private static void awaitHealth(ParameterServers servers) throws Exception {
        Await.until("all servers are recovered", () -> servers.state().isHealthy(), servers::state);
        assertThat(servers.state().executors()).doesNotHaveDuplicates();
        assertThat(servers.state().recovered()).isEqualTo(1);
    }

    /** Stops a server again and again for a moment, as if it were far away. */
    private void trainSlowly(ParameterClient client, ExecutorProcess server) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> turns = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                server.freeze();
                LockSupport.parkNanos(TURN.toNanos());
                server.thaw();
                LockSupport.parkNanos(TURN.toNanos());
            }
        });
        try {
            training.train(client, 25);
        } finally {
            over.set(true);
            turns.join();
        }
    }

    /** Kills servers at once, and checks all parameters when they are replaced, and once more after that. */
    private void trainThroughTheLossOf(ParameterServers servers, ParameterClient client, int... lost) throws Exception {
        List<ExecutorProcess> executors = new ArrayList<>();
        for (int server : lost) {
            executors.add(executor(servers, server));
        }
        executors.forEach(ExecutorProcess::kill);
        training.train(client, 200);
        assertThat(servers.state().replaced()).isEqualTo(lost.length);
        awaitHealth(servers);
        training.check(client);
        training.train(client, 20);
        training.check(client);
    }

    /** All of it on a cluster whose messages are authenticated: {@code SparkTransportTest} has those that are not. */
    @LongTest
    @Test
    void trainingGoesOnWhenAServerIsKilled() throws Exception {
        assertThat(spark().getConf().get("spark.authenticate")).isEqualTo("true");
        try (ParameterServers servers =
                        ParameterServers.start(spark(), LocalTraining.model(3, Redundancy.coded(2)), PATIENT, WAIT);
                ParameterClient client = ParameterClient.connect(servers.location(), 0)) {
            awaitHealth(servers);
            training.train(client, 50);
            trainSlowly(client, executor(servers, 1));
            assertThat(servers.state().replaced()).isZero();
            trainThroughTheLossOf(servers, client, 0);
        }
    }

    /** Both have units of all stripes, and two replicas of each block. */
    @Test
    void trainingGoesOnWhenTwoServersAreKilledAtOnce() throws Exception {
        try (ParameterServers servers =
                        ParameterServers.start(spark(), LocalTraining.model(3, Redundancy.coded(1, 2)), PATIENT, WAIT);
                ParameterClient client = ParameterClient.connect(servers.location(), 0)) {
            awaitHealth(servers);
            training.train(client, 50);
            trainThroughTheLossOf(servers, client, 2, 0);
        }
    }

    /** It is taken for dead, and replaced. When it goes on, nobody listens to it. */
    @Test
    void aServerThatIsFrozenDoesNoHarmLater() throws Exception {
        HostOptions impatient = PATIENT.withHeartbeatTimeout(Duration.ofSeconds(4));
        try (ParameterServers servers = ParameterServers.start(
                        spark(), LocalTraining.model(2, Redundancy.replicated()), impatient, WAIT);
                ParameterClient client = ParameterClient.connect(servers.location(), 0)) {
            awaitHealth(servers);
            training.train(client, 50);
            ExecutorProcess frozen = executor(servers, 1);
            frozen.freeze();
            training.train(client, 50);
            assertThat(servers.state().replaced()).isPositive();
            frozen.thaw();
            training.train(client, 100);
            Await.until("all servers are recovered", () -> servers.state().isHealthy(), servers::state);
            training.check(client);
        }
    }

    /** All executors are lost, with all servers. Others, with another redundancy, begin with the checkpoint. */
    @Test
    void aCheckpointOutlivesAllServers() throws Exception {
        try (ParameterServers servers =
                        ParameterServers.start(spark(), LocalTraining.model(3, Redundancy.coded(2)), PATIENT, WAIT);
                ParameterClient client = ParameterClient.connect(servers.location(), 0)) {
            training.train(client, 50);
            servers.checkpoint(folder.toString(), 1);
            training.train(client, 20);
            assertThat(servers.checkpoint(folder.toString(), 1)).isEqualTo(2);
            assertThat(folder.toFile().list()).containsExactly("checkpoint-00000002");
        }
        SPARK.executors().forEach(ExecutorProcess::kill);
        try (ParameterServers servers = ParameterServers.restore(
                        spark(), LocalTraining.model(2, Redundancy.replicated()), PATIENT, WAIT, folder.toString());
                ParameterClient client = ParameterClient.connect(servers.location(), 0)) {
            training.check(client);
            training.train(client, 20);
            training.check(client);
        }
        assertThatThrownBy(() -> ParameterServers.restore(
                        spark(),
                        LocalTraining.model(2, Redundancy.replicated()),
                        PATIENT,
                        WAIT,
                        folder.resolve("none").toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "folder must have a complete checkpoint, got file:" + folder.resolve("none") + ": start");
    }

    @Test
    void whatIsLostForGoodIsNotWrittenIntoACheckpoint() throws Exception {
        try (ParameterServers servers =
                ParameterServers.start(spark(), LocalTraining.model(3, Redundancy.none()), PATIENT, WAIT)) {
            awaitHealth(servers);
            ParameterClient.connect(servers.location(), 0).close(); // from now on there may be updates
            executor(servers, 0).kill();
            Await.until("a server is replaced", () -> servers.state().replaced() == 1, servers::state);
            awaitHealth(servers);
            assertThatThrownBy(() -> servers.checkpoint(folder.toString(), 1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("has lost rows or blocks for good, so a checkpoint would be incomplete");
            assertThat(folder.resolve("checkpoint-00000001").toFile().list((in, name) -> !name.startsWith(".")))
                    .singleElement()
                    .asString()
                    .startsWith("_writer-");
        }
    }

    @Test
    void withoutRedundancyAllGoBackToTheCheckpoint() throws Exception {
        killAndGoBack(Redundancy.none(), 2);
    }

    /** Both have units of all stripes of three servers. */
    @LongTest
    @Test
    void allGoBackToTheCheckpointWhenTwoAreLost() throws Exception {
        killAndGoBack(Redundancy.coded(2), 2, 0);
    }

    private void killAndGoBack(Redundancy redundancy, int... lost) throws Exception {
        try (ParameterServers servers =
                        ParameterServers.start(spark(), LocalTraining.model(3, redundancy), PATIENT, WAIT);
                ParameterClient client = ParameterClient.connect(servers.location(), 0)) {
            awaitHealth(servers);
            training.train(client, 30);
            servers.checkpoint(folder.toString(), 2);
            training.save();
            training.train(client, 30);
            IntStream.of(lost)
                    .mapToObj(server -> executor(servers, server))
                    .toList()
                    .forEach(ExecutorProcess::kill);
            Throwable thrown = catchThrowable(() -> training.train(client, 1000));
            assertThat(thrown)
                    .isInstanceOf(RolledBackException.class)
                    .hasMessage(
                            "all servers have gone back to the last checkpoint because rows or blocks were lost, rollback 1:"
                                    + " train again from there");
            training.goBack();
            training.train(client, 30);
            awaitHealth(servers);
            training.check(client);
        }
    }
}
