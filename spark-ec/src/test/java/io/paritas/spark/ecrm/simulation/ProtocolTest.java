/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.CommitMessage;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.ViewMessage;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.simulation.VirtualNetwork.Weather;
import io.paritas.spark.ecrm.table.Parity;
import io.paritas.spark.ecrm.table.Redundancy;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Servers, workers and the driver on a virtual network: whatever happens, committed iterations survive, bit for bit.
 */
class ProtocolTest {
    private static final RecoveryPace PACE = new RecoveryPace(3, 2);

    private static Weather weather(int seed) {
        return seed % 4 == 0 ? Weather.FAIR : seed % 4 == 1 ? Weather.STORM : Weather.CUTS;
    }

    private interface Story {
        void tell(Simulation simulation);
    }

    private static void play(String name, Script script, Weather weather, Story story) {
        try {
            Simulation simulation = new Simulation(script, weather, PACE);
            story.tell(simulation);
            simulation.run();
            simulation.check();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(name + ", seed " + script.seed(), e);
        }
    }

    @Test
    void trains() {
        for (int seed = 0; seed < 16; seed++) {
            play("in fair weather", Script.of(4, 2, 3, 4, seed), Weather.FAIR, simulation -> {});
        }
    }

    @Test
    void trainsInAStorm() {
        for (int seed = 0; seed < 60; seed++) {
            play("in a storm", Script.of(3 + seed % 4, 2, 3, 4, seed), weather(seed), simulation -> {});
        }
    }

    /** Messages arrive when their attempts, locks, pauses and epochs are over. */
    @Test
    void whatComesLateDoesNoHarm() {
        for (int seed = 0; seed < 60; seed++) {
            int servers = 3 + seed % 4;
            Script script = Script.of(servers, 1 + seed % (servers - 1), 4, 6, seed);
            Random random = new Random(seed);
            play("comes late", script, Weather.ECHOES, simulation -> {
                while (simulation.isTraining()) {
                    simulation.runUntilHealthy(random.nextInt(400));
                    if (random.nextInt(4) == 0) {
                        simulation.killServer(random.nextInt(servers));
                    } else if (simulation.isResumed()) {
                        simulation.pause();
                    }
                }
            });
        }
    }

    private static final List<Redundancy> MODES = List.of(
            Redundancy.coded(2).parity(Parity.SUM),
            Redundancy.replicated(),
            Redundancy.coded(2).oneReplicaOfBlocks(),
            Redundancy.coded(2).onePhase(),
            Redundancy.coded(3).oneReplicaOfBlocks().onePhase(),
            Redundancy.none());

    /** Where nobody fails, all modes are exact, whatever the weather. */
    @Test
    void trainsWithAnyRedundancy() {
        for (Redundancy redundancy : MODES) {
            for (int seed = 0; seed < 6; seed++) {
                Script script = Script.of(4, redundancy, 3, 4, seed);
                play(redundancy.toString(), script, seed % 2 == 0 ? Weather.FAIR : Weather.STORM, simulation -> {});
            }
        }
    }

    /**
     * With one phase, only iterations in progress at a failure are in doubt; all others are exact, and so is the
     * parity.
     */
    @Test
    void inOnePhaseOnlyWhatIsOnItsWayIsInDoubt() {
        for (int seed = 0; seed < 60; seed++) {
            int servers = 3 + seed % 4;
            Redundancy redundancy = Redundancy.coded(1 + seed % (servers - 1)).onePhase();
            Script script = Script.of(servers, redundancy, 3, 6, seed);
            Random random = new Random(seed);
            play("dies in one phase", script, weather(seed), simulation -> {
                simulation.runTo(random.nextInt(400));
                kill(simulation, random.nextInt(servers + 3));
            });
        }
    }

    @Test
    void anyoneMayDieAtAnyMessageOfOnePhase() {
        Script script = Script.of(4, Redundancy.coded(2).onePhase(), 2, 1, 1);
        long messages = new Simulation(script, Weather.FAIR, PACE).run();
        assertThat(messages).isGreaterThan(30);
        for (long message = 0; message < messages; message++) {
            for (int victim = 0; victim < 4 + 2; victim++) {
                long at = message;
                int who = victim;
                play(who + " dies at message " + at, script, Weather.FAIR, simulation -> {
                    simulation.runTo(at);
                    kill(simulation, who);
                });
            }
        }
    }

    /** With parity as a sum, decoding is exact up to rounding. */
    @Test
    void aSumIsOffByRounding() {
        for (int seed = 0; seed < 40; seed++) {
            Script script = Script.of(5, Redundancy.coded(1 + seed % 4).parity(Parity.SUM), 3, 5, seed);
            Random random = new Random(seed);
            play("dies with sums", script, weather(seed), simulation -> {
                simulation.runTo(random.nextInt(400));
                kill(simulation, random.nextInt(5 + 3));
            });
        }
    }

    /** Every server and every worker dies, at every message of a history. */
    @Test
    void anyoneMayDieAtAnyMessage() {
        for (int seed = 0; seed < 2; seed++) {
            Script script = Script.of(4, 2 + seed, 2, 1, seed);
            long messages = new Simulation(script, Weather.FAIR, PACE).run();
            assertThat(messages).isGreaterThan(50);
            for (long message = 0; message < messages; message++) {
                for (int victim = 0; victim < 4 + 2; victim++) {
                    long at = message;
                    int who = victim;
                    play(who + " dies at message " + at, script, Weather.FAIR, simulation -> {
                        simulation.runTo(at);
                        kill(simulation, who);
                    });
                }
            }
        }
    }

    /** As the clients of tasks that are killed. Servers forget it soon, though one may have begun what another one has not. */
    @Test
    void aWorkerMayBeClosedAtAnyMessage() {
        for (Redundancy redundancy :
                List.of(Redundancy.coded(2), Redundancy.coded(2).onePhase())) {
            Script script = Script.of(4, redundancy, 2, 1, 1);
            long messages = new Simulation(script, Weather.FAIR, PACE).run();
            for (long message = 0; message < messages; message++) {
                for (int worker = 0; worker < 2; worker++) {
                    long at = message;
                    int who = worker;
                    play("worker " + who + " is closed at message " + at, script, Weather.FAIR, simulation -> {
                        simulation.runTo(at);
                        simulation.closeWorker(who);
                    });
                }
            }
        }
    }

    @Test
    void aWorkerMayBeClosedAndAServerDieInAStorm() {
        playInStorms("a worker is closed in a storm", (simulation, random) -> {
            simulation.runTo(random.nextInt(600));
            simulation.closeWorker(random.nextInt(3));
            simulation.runTo(random.nextInt(600));
            simulation.killServer(random.nextInt(servers(simulation)));
        });
    }

    /** A hundred times, with three workers. */
    private static void playInStorms(String name, BiConsumer<Simulation, Random> story) {
        for (int seed = 0; seed < 100; seed++) {
            int servers = 3 + seed % 4;
            Script script = Script.of(servers, 1 + seed % (servers - 1), 3, 4, seed);
            Random random = new Random(seed);
            play(name, script, weather(seed), simulation -> story.accept(simulation, random));
        }
    }

    private static int servers(Simulation simulation) {
        return simulation.script().model().servers();
    }

    private static void kill(Simulation simulation, int victim) {
        int servers = servers(simulation);
        if (victim < servers) {
            simulation.killServer(victim);
        } else {
            simulation.killWorker(victim - servers);
        }
    }

    @Test
    void anyoneMayDieInAStorm() {
        playInStorms("dies in a storm", (simulation, random) -> {
            simulation.runTo(random.nextInt(600));
            kill(simulation, random.nextInt(servers(simulation) + 3));
        });
    }

    /** One after another, each when the one before has been replaced and has recovered. */
    @Test
    void manyMayDieOneAfterAnother() {
        for (int seed = 0; seed < 12; seed++) {
            int servers = 3 + seed % 4;
            Script script = Script.of(servers, 1 + seed % (servers - 1), 2, 8, seed);
            Random random = new Random(seed);
            play("one after another dies", script, weather(seed), simulation -> {
                for (int victim = 0; victim < servers; victim++) {
                    simulation.runUntilHealthy(random.nextInt(400));
                    simulation.killServer(victim);
                }
            });
        }
    }

    /** At any times: the worker's last iteration is committed everywhere or nowhere. */
    @Test
    void aWorkerAndAServerMayDieTogether() {
        for (int seed = 0; seed < 60; seed++) {
            Script script = Script.of(4, 1 + seed % 3, 3, 3, seed);
            Random random = new Random(seed);
            play("a worker and a server die", script, weather(seed), simulation -> {
                simulation.runTo(random.nextInt(300));
                simulation.killWorker(random.nextInt(3));
                simulation.runTo(random.nextInt(300));
                simulation.killServer(random.nextInt(4));
            });
        }
    }

    @Test
    void whoIsTakenForDeadDoesNoHarm() {
        for (int seed = 0; seed < 40; seed++) {
            Script script = Script.of(4, 1 + seed % 3, 3, 4, seed);
            Random random = new Random(seed);
            play("is taken for dead", script, weather(seed), simulation -> {
                simulation.runTo(random.nextInt(400));
                simulation.replaceLiving(random.nextInt(4));
            });
        }
    }

    /**
     * A worker commits a row at its owner, but the parity server does not hear of it; another worker updates the row;
     * then the first worker and the owner die, and nobody is left who knows that it was committed.
     */
    @Test
    void noDifferenceIsCommittedWithoutTheOneItBuildsOn() {
        int histories = 0;
        for (int seed = 0; seed < 400; seed++) {
            Script script = Script.of(5, 2, 2, 2, seed);
            StripePlacement placement = script.model().stripes();
            for (RowGradients rows : script.rows(0, 0)) {
                long[] others = script.rows(1, 0).get(rows.table()).rows();
                for (long row : rows.rows()) {
                    int parity = placement.server(placement.stripe(row), placement.k());
                    boolean replica = parity <= 2;
                    if (!replica && LongStream.of(others).anyMatch(other -> other == row)) {
                        histories++;
                        play("the parity server hears nothing", script, Weather.FAIR, simulation -> {
                            simulation.drop(envelope -> envelope.from().equals(Address.worker(0))
                                    && envelope.to().id() == parity
                                    && envelope.message() instanceof CommitMessage.Finish);
                            simulation.runTo(110);
                            simulation.killWorker(0);
                            simulation.killServer(placement.owner(row));
                        });
                    }
                }
            }
        }
        assertThat(histories).isGreaterThan(20);
    }

    /** A worker is taken for dead while it waits, and commits when some servers have already been asked. */
    @Test
    void aWorkerMayComeBackWhileTheDriverDecides() {
        for (int seed = 0; seed < 40; seed++) {
            Script script = Script.of(4, 2, 2, 3, seed);
            AtomicInteger answers = new AtomicInteger();
            int some = 1 + seed % 4;
            play(
                    "comes back",
                    script,
                    Weather.STORM,
                    simulation -> simulation.drop(envelope -> {
                        if (envelope.message() instanceof ViewMessage.Status) {
                            answers.incrementAndGet();
                        }
                        return envelope.from().equals(Address.worker(0))
                                && envelope.message() instanceof CommitMessage.Finish finish
                                && finish.outcome() == AttemptOutcome.COMMITTED
                                && answers.get() < some;
                    }));
        }
    }

    /**
     * One server of a block has staged an update that the others have committed; the other server of the block dies,
     * and is replaced: what it copies must have the update.
     */
    @Test
    void aBlockIsCopiedWithAllThatIsCommitted() {
        for (int seed = 0; seed < 16; seed++) {
            Script script = Script.of(4, 2, 2, 2, seed);
            int[] servers = script.model().replicas().servers(seed % 2);
            Random random = new Random(seed);
            play("a block is copied", script, Weather.FAIR, simulation -> {
                simulation.drop(envelope -> envelope.from().equals(Address.worker(0))
                        && envelope.to().id() == servers[0]
                        && envelope.message() instanceof CommitMessage.Finish
                        && simulation.now() < 500);
                simulation.runTo(20 + random.nextInt(60));
                simulation.killServer(servers[1]);
            });
        }
    }

    /**
     * A worker that hears of no failure says to one server of a block, which has heard, what the others have staged
     * before: when the other server of the block is replaced, and has its copy.
     */
    @Test
    void nothingOfAnOldEpochIsStagedBehindACopy() {
        for (int seed = 0; seed < 40; seed++) {
            Script script = Script.of(4, 2, 1, 2, seed);
            int block = seed % 2;
            int[] servers = script.model().replicas().servers(block);
            Random random = new Random(seed);
            play("does not hear", script, Weather.FAIR, simulation -> {
                simulation.drop(envelope -> (isFence(envelope, 0) && simulation.now() < 400)
                        || (isStage(envelope, 0, servers[0]) && !isCopied(simulation, servers[1], block)));
                simulation.runTo(20 + random.nextInt(30));
                simulation.killServer(servers[1]);
            });
        }
    }

    private static boolean isCopied(Simulation simulation, int server, int block) {
        return simulation.server(server).view().epoch() > 2
                && !simulation.server(server).block(block).isMissing();
    }

    private static boolean isFence(Envelope envelope, int worker) {
        return envelope.to().equals(Address.worker(worker)) && envelope.message() instanceof ViewMessage.Fence;
    }

    private static boolean isStage(Envelope envelope, int worker, int server) {
        return envelope.from().equals(Address.worker(worker))
                && envelope.to().isServer()
                && envelope.to().id() == server
                && envelope.message() instanceof CommitMessage.Stage;
    }
}
