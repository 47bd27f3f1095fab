/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.MessageVisitor;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Appoint;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.protocol.ViewMessage.Offer;
import io.paritas.spark.ecrm.protocol.ViewMessage.Start;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.Shard;
import io.paritas.spark.ecrm.table.TableSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.SerializableConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How servers come up, in a local Spark, which has two slots. */
class StartTest {
    private static final HostOptions OPTIONS = HostOptions.DEFAULT.withSpares(0).withPlacementTimeout(Duration.ZERO);

    /** Its tables take a noticeable time to be built. */
    private static ModelSpec model(int servers, Redundancy redundancy, long rows) {
        return new ModelSpec(
                servers,
                redundancy,
                List.of(new TableSpec(rows, 4, new Optimizer.Sgd(1), new Initializer(0, 1, 1))),
                List.of(new BlockSpec(3, new Optimizer.Sgd(1), new Initializer(0, 2, 2))));
    }

    private static JavaSparkContext spark() {
        return JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
    }

    /** A driver that appoints whoever offers himself, and notes the epochs of the servers' heartbeats. */
    private record Appointing(EventLoop loop, BlockingQueue<Integer> heartbeats) implements Passive {
        @Override
        public void receive(Envelope envelope, long now) {
            envelope.message().accept(new MessageVisitor() {
                @Override
                public void offer(Offer offer) {
                    View view = View.of(List.of(offer.endpoint()));
                    loop.send(new Envelope(
                            Address.DRIVER, envelope.from(), view.epoch(), new Appoint(0, view, Start.INITIAL, "", 0)));
                }

                @Override
                public void fenced(Fenced heartbeat) {
                    heartbeats.add(heartbeat.epoch());
                }
            });
        }
    }

    /** It says that it lives, and that it has no view yet. */
    @Test
    void aServerSendsHeartbeatsWhileItBuildsItsPart() throws Exception {
        LocalSpark.session();
        ModelSpec model = model(1, Redundancy.none(), 1_000_000);
        HostOptions options = OPTIONS.withTiming(new Timing(4, 10_000, 5));
        BlockingQueue<Integer> heartbeats = new LinkedBlockingQueue<>();
        try (EventLoop driver = new EventLoop("driver", options.timing(), own -> new Appointing(own, heartbeats));
                EventLoop server = new EventLoop(
                        "server",
                        options.timing(),
                        own -> new Candidate(
                                model,
                                options,
                                new Configuration(),
                                Address.candidate(7),
                                0,
                                driver.endpoint(),
                                own))) {
            assertThat(server.endpoint()).isNotEmpty();
            int before = 0;
            while (heartbeats.poll(1, TimeUnit.MINUTES) == 0) {
                before++;
            }
            assertThat(before).as("heartbeats while it builds").isPositive();
        }
    }

    /** Nobody has updated anything, so nothing is lost, even without redundancy. */
    @Test
    void aServerThatFailsBeforeTheFirstUpdateIsReplacedWithItsInitialPart() throws Exception {
        JavaSparkContext spark = spark();
        CompletableFuture<ParameterServers> starting = CompletableFuture.supplyAsync(() -> {
            try {
                return ParameterServers.start(
                        spark, model(2, Redundancy.none(), 10_000_000), OPTIONS, Duration.ofMinutes(2));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        while (!isBuilding()) {
            assertThat(starting).isNotDone();
            Thread.onSpinWait();
        }
        // Not by their numbers: Spark's tracker hears of a job some time after its tasks have begun.
        spark.sc().cancelAllJobs();
        try (ParameterServers servers = starting.get();
                ParameterClient client = ParameterClient.connect(servers.location(), 0)) {
            assertThat(servers.state().replaced()).isPositive();
            assertThat(client.pullRows(0, new long[] {0, 1, 9_999_999})).containsOnly(1);
            assertThat(client.pullBlocks(new int[] {0})).containsOnly(2);
        }
    }

    /** As while the first checkpoint of a training without redundancy is written, which is then tried again. */
    @Test
    @Timeout(120)
    void aServerThatFailsBeforeTheFirstWorkerLosesNothing(@TempDir Path folder) throws Exception {
        JavaSparkContext spark = spark();
        try (ParameterServers servers =
                ParameterServers.start(spark, model(2, Redundancy.none(), 10), OPTIONS, Duration.ofMinutes(1))) {
            spark.sc().cancelAllJobs();
            while (servers.state().lost().size() < 2 || !servers.state().isHealthy()) {
                Thread.sleep(10);
            }
            assertThat(servers.checkpoint(folder.toUri().toString(), 1)).isEqualTo(1);
            try (ParameterClient client = ParameterClient.connect(servers.location(), 0)) {
                assertThat(client.pullRows(0, new long[] {0, 9})).containsOnly(1);
                assertThat(client.pullBlocks(new int[] {0})).containsOnly(2);
            }
        }
    }

    private static boolean isBuilding() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Stream::of)
                .anyMatch(frame -> frame.getClassName().equals(Shard.class.getName())
                        && frame.getMethodName().equals("of"));
    }

    @Test
    void saysThatSlotsAreMissing() {
        HostOptions threeTasks = HostOptions.DEFAULT;
        assertThatThrownBy(() -> ParameterServers.start(
                        spark(), model(2, Redundancy.replicated(), 10), threeTasks, Duration.ofSeconds(2)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageMatching("servers must be up within 2000 ms: got [0-2] of 3 tasks at once, for 2 servers and"
                        + " 1 spares: give the application as many free slots, or more time");
    }

    /** As where executors lack a class: this task has no options. */
    @Test
    void keepsWhyATaskHasFailed() throws InterruptedException {
        ServerTask task = new ServerTask(
                model(1, Redundancy.none(), 10),
                null,
                new SerializableConfiguration(spark().hadoopConfiguration()),
                "localhost:1");
        ServerJobs jobs = new ServerJobs(spark(), task, 1);
        for (int wait = 0; wait < 600 && jobs.failure().isEmpty(); wait++) {
            jobs.keep(0);
            TimeUnit.MILLISECONDS.sleep(100);
        }
        jobs.close();
        assertThat(jobs.failure()).contains("java.lang.NullPointerException");
    }

    @Test
    void saysWhatElseIsMissing() {
        assertThat(new StartProgress(2, 1, 3, List.of(), List.of(), "").missing())
                .isEqualTo("all 3 tasks have started, but a better place is expected for some: give each of 2 servers"
                        + " an executor of its own, or set spark.paritas.ecrm.placementTimeout to less");
        assertThat(new StartProgress(5, 1, 1, List.of(1, 3), List.of(0), "").missing())
                .isEqualTo("servers 1, 3 of 5 have failed, and no task takes their places: see the executors' logs, or"
                        + " give the application more free slots");
        assertThat(new StartProgress(5, 1, 1, List.of(), List.of(0, 4), "").missing())
                .isEqualTo("servers 0, 4 of 5 are still building their parts: give them more time, with"
                        + " spark.paritas.ecrm.startTimeout if they are those of a training, or use more servers");
        assertThat(new StartProgress(5, 1, 1, List.of(), List.of(0, 4), "no such class").missing())
                .isEqualTo("servers 0, 4 of 5 are still building their parts: give them more time, with"
                        + " spark.paritas.ecrm.startTimeout if they are those of a training, or use more servers;"
                        + " the last task that failed: no such class");
    }
}
