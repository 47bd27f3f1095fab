/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ec.Logged;
import io.paritas.spark.ecrm.host.ServerSupervisor.StoredCheckpoint;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.MessageVisitor;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Appoint;
import io.paritas.spark.ecrm.protocol.ViewMessage.Failed;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.protocol.ViewMessage.Offer;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovered;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovering;
import io.paritas.spark.ecrm.protocol.ViewMessage.Start;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.SerializableConfiguration;
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

    private final BlockingQueue<Appoint> appointments = new LinkedBlockingQueue<>();
    /** By server: the checkpoint that it starts from. */
    private final Map<Address, Long> starts = new HashMap<>();

    private ServerJobs jobs;
    private EventLoop candidates;
    private EventLoop loop;
    private ServerSupervisor supervisor;
    private long now = 1000;

    @BeforeEach
    void begin() {
        JavaSparkContext spark =
                JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());
        // The tasks run, and reach nobody: the test speaks for them.
        ServerTask task = new ServerTask(
                MODEL, OPTIONS, new SerializableConfiguration(spark.hadoopConfiguration()), "localhost:1");
        jobs = new ServerJobs(spark, task, OPTIONS.tasks(MODEL));
        candidates = loop("candidates", "", envelope -> envelope.message().accept(new MessageVisitor() {
            @Override
            public void appoint(Appoint message) {
                appointments.add(message);
            }
        }));
        loop = loop("nobody", candidates.endpoint(), envelope -> {});
        supervisor = new ServerSupervisor(MODEL, OPTIONS, Optional.of(new StoredCheckpoint("none", 1)), loop, jobs);
        supervisor.tick(now);
        offer(0, "a");
        offer(1, "b");
        offer(2, "a");
        assertThat(supervisor.state().executors()).containsExactly("a", "b");
    }

    private static EventLoop loop(String name, String endpoint, Consumer<Envelope> receiver) {
        return new EventLoop(name, OPTIONS.timing(), own -> new Passive() {
            @Override
            public void receive(Envelope envelope, long time) {
                receiver.accept(envelope);
            }

            @Override
            public String endpoint(Address anybody) {
                return endpoint;
            }
        });
    }

    @AfterEach
    void end() {
        jobs.close();
        loop.close();
        candidates.close();
    }

    private void receive(Address from, Message message) {
        now += 10;
        supervisor.receive(new Envelope(from, Address.DRIVER, 0, message), now);
    }

    /** Lets time pass, as the loop does. */
    private void pass(long millis) {
        for (long end = now + millis; now < end; ) {
            now = Math.min(end, now + OPTIONS.timing().retry() / 4);
            supervisor.tick(now);
        }
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
        assertThat(supervisor.state().executors()).containsExactly("a");
        offer(0, "a");
        assertThat(supervisor.state().executors()).containsExactly("a");
        offer(1, "b");
        assertThat(supervisor.state().executors()).containsExactly("a", "b");
        assertThat(supervisor.state().lost()).isEmpty();
    }

    /** One that is frozen never comes back: its task is started again. */
    @Test
    void aServerThatDoesNotComeBackIsStartedAgain() {
        loseRows();
        offer(0, "a");
        assertThat(jobs.isCurrent(1)).isTrue();
        pass(OPTIONS.heartbeatTimeout().toMillis());
        assertThat(jobs.isCurrent(1)).isFalse();
        assertThat(jobs.isCurrent(3)).isTrue();
        offer(3, "c");
        assertThat(supervisor.state().executors()).contains("c");
    }

    @Test
    void aServerThatIsSilentIsReplaced() {
        pass(OPTIONS.heartbeatTimeout().toMillis() + 100);
        assertThat(supervisor.state().replaced()).isZero();
        assertThat(supervisor.state().executors()).isEmpty();
    }

    /** A network may have cut off several that all live. */
    @Test
    void whoConnectsAgainHasNotFailed() {
        Address server = Address.server(1, 1);
        supervisor.gone(Address.candidate(1), now);
        supervisor.gone(server, now);
        pass(OPTIONS.absence() / 2);
        receive(server, new Fenced(1));
        pass(OPTIONS.absence() * 2);
        assertThat(supervisor.state().executors()).containsExactly("a", "b");
        assertThat(jobs.isCurrent(1)).isTrue();
    }

    /** There are many of them where there are many servers. */
    @Test
    void aHeartbeatChangesNothing() {
        ServerState before = supervisor.state();
        receive(Address.server(1, 1), new Fenced(1));
        assertThat(supervisor.state()).isSameAs(before);
    }

    @Test
    void whoDoesNotConnectAgainHasFailed() {
        supervisor.gone(Address.server(1, 1), now);
        pass(OPTIONS.absence() + 100);
        assertThat(supervisor.state().replaced()).isEqualTo(1);
        assertThat(supervisor.state().lost()).containsExactly("b");
        assertThat(jobs.isCurrent(1)).isFalse();
    }

    /** Nobody has closed the servers: the driver said 20 times a second that it could not handle the time. */
    @Test
    void anApplicationThatHasEndedStartsNoTask() {
        LocalSpark.session().stop();
        supervisor.gone(Address.server(1, 1), now);
        pass(OPTIONS.absence() + 100);
        assertThat(supervisor.state().lost()).containsExactly("b");
        pass(OPTIONS.heartbeatTimeout().toMillis() + 100);
        assertThat(supervisor.state().lost())
                .as("the spare task is silent, too")
                .containsExactly("b", "a", "a");
    }

    /** Its rows are the first ones, with or without redundancy. */
    @Test
    void whoFailsBeforeTheFirstWorkerBeginsAnew() throws InterruptedException {
        start(0, 1).keySet().forEach(server -> receive(server, new Recovered(0, new int[0])));
        assertThat(supervisor.started()).isDone();
        assertThat(startOfReplacement()).isEqualTo(Start.CHECKPOINT);
    }

    @Test
    void whoFailsAfterTheFirstWorkerRecovers() throws InterruptedException {
        start(0, 1).keySet().forEach(server -> receive(server, new Recovered(0, new int[0])));
        receive(Address.worker(7), new Fenced(0));
        assertThat(startOfReplacement()).isEqualTo(Start.RECOVER);
    }

    /** Loses server 1, and returns how the spare task starts in its place. */
    private Start startOfReplacement() throws InterruptedException {
        supervisor.gone(Address.server(1, 1), now);
        pass(OPTIONS.absence() + 100);
        for (int wait = 0; wait < 500; wait++) {
            offer(2, "c");
            Appoint next = appointments.poll(20, TimeUnit.MILLISECONDS);
            if (next != null && next.view().address(next.server()).birth() > 1) {
                return next.start();
            }
        }
        throw new AssertionError("a candidate must be appointed in its place, got none");
    }

    @Test
    void saysWhatAServerThatIsDownWaitsFor() throws InterruptedException {
        supervisor.gone(Address.candidate(2), now);
        start(0, 1).keySet().forEach(server -> receive(server, new Recovered(0, new int[0])));
        assertThat(supervisor.started()).isDone();
        try (Logged logged = new Logged(ServerSupervisor.class.getName())) {
            supervisor.gone(Address.server(1, 1), now);
            pass(35_000);
            assertThat(logged.lines())
                    .filteredOn(line -> line.contains("no task takes their places"))
                    .hasSize(1);
        }
    }

    @Test
    void aCandidateThatDoesNotConnectAgainIsStartedAgain() {
        supervisor.gone(Address.candidate(2), now);
        pass(OPTIONS.absence() / 2);
        offer(2, "a");
        pass(OPTIONS.absence() * 2);
        assertThat(jobs.isCurrent(2)).isTrue();
        supervisor.gone(Address.candidate(2), now);
        pass(OPTIONS.absence() + 100);
        assertThat(jobs.isCurrent(2)).isFalse();
    }

    /** Spark starts one if speculation is set so: with it, the task would seem to have moved. */
    @Test
    void aCopyOfATaskIsIgnored() {
        receive(Address.candidate(10), new Offer(0, "localhost:9", "z"));
        receive(Address.candidate(12), new Offer(2, "localhost:9", "z"));
        assertThat(supervisor.progress().registered()).isEqualTo(1);
        assertThat(supervisor.state().executors()).containsExactly("a", "b");
    }

    /** What the servers have sent meanwhile has still to be read. */
    @Test
    void aDriverThatWasStoppedDoesNotTakeItsServersForSilent() {
        now += 60_000;
        supervisor.tick(now);
        pass(OPTIONS.heartbeatTimeout().toMillis() / 2);
        assertThat(supervisor.state().executors()).containsExactly("a", "b");
        pass(OPTIONS.heartbeatTimeout().toMillis());
        assertThat(supervisor.state().executors()).isEmpty();
    }

    /** The first thing that it does may be to read a message of one of them. */
    @Test
    void aDriverThatWasStoppedStillWaitsForThoseThatGoBack() {
        loseRows();
        offer(0, "a");
        now += 60_000;
        offer(0, "a");
        supervisor.tick(now);
        assertThat(jobs.isCurrent(1)).isTrue();
        pass(OPTIONS.heartbeatTimeout().toMillis());
        assertThat(jobs.isCurrent(1)).isFalse();
    }

    /** Offers candidates until all have heard as which servers they start. Returns the checkpoints that those start from. */
    private Map<Address, Long> start(int... tasks) throws InterruptedException {
        for (int wait = 0; wait < 500; wait++) {
            for (int task : tasks) {
                offer(task, task == 1 ? "b" : "a");
            }
            Appoint next = appointments.poll(20, TimeUnit.MILLISECONDS);
            if (next != null) {
                View view = next.view();
                // Only the first appointment counts.
                starts.putIfAbsent(view.address(next.server()), next.checkpoint());
                Map<Address, Long> current = new HashMap<>(starts);
                current.keySet().removeIf(server -> !view.has(server));
                if (view.rollbacks() == supervisor.state().rollbacks() && current.size() == tasks.length) {
                    return current;
                }
            }
        }
        throw new AssertionError("candidates must be appointed, got " + starts);
    }

    /** A server fails when all have written a checkpoint, and the driver has not completed it yet. */
    @Test
    void allGoBackToTheSameCheckpoint() throws InterruptedException {
        loseRows();
        assertThat(start(2).values()).containsExactly(1L);
        supervisor.saved(new StoredCheckpoint("none", 2), now);
        assertThat(start(1, 2).values()).containsExactly(2L, 2L);
        assertThat(supervisor.state().rollbacks()).isEqualTo(2);
    }

    /** It repeats it until it hears that it has been replaced; its replacement may have a state. */
    @Test
    void theFailureOfAReplacedServerDoesNotEndTheStart() {
        Address server = Address.server(1, 1);
        supervisor.gone(server, now);
        pass(OPTIONS.absence() + 100);
        receive(server, new Failed("server 1 cannot hold its part of the model"));
        assertThat(supervisor.started()).isNotDone();
    }

    @Test
    void whoHasGoneBackStaysThereWhenThereIsAnotherCheckpoint() throws InterruptedException {
        loseRows();
        start(1, 2).keySet().forEach(server -> receive(server, new Recovered(0, new int[0])));
        assertThat(supervisor.state().isHealthy()).isTrue();
        supervisor.saved(new StoredCheckpoint("none", 2), now);
        assertThat(supervisor.state().rollbacks()).isEqualTo(1);
        assertThat(supervisor.state().isHealthy()).isTrue();
    }
}
