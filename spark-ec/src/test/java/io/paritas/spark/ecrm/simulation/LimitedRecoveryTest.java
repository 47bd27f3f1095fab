/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.RangeMessage.LockRange;
import io.paritas.spark.ecrm.protocol.RangeMessage.Step;
import io.paritas.spark.ecrm.protocol.RangeMessage.StepRange;
import io.paritas.spark.ecrm.protocol.RangeMessage.Stepped;
import io.paritas.spark.ecrm.protocol.ReadMessage.Parameters;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullRows;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovered;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovering;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.server.ServerCounters;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.simulation.VirtualNetwork.Weather;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.Shard;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A replacement that recovers for a share of its time and rests otherwise. */
class LimitedRecoveryTest {
    private static final int SERVERS = 5;
    private static final int ROWS = 400;
    private static final int TICK = 5;
    private static final int WORKER = 9;

    private record Seen(long time, Address from, Message message) {}

    /** Server 0 is a replacement, on a network where every message takes a millisecond. Nobody trains. */
    private static final class Cluster {
        final ModelSpec model = new ModelSpec(
                SERVERS,
                Redundancy.coded(3),
                List.of(new TableSpec(ROWS, 2, new Optimizer.Sgd(1), new Initializer(3, -1, 1))),
                List.of());
        final View view = View.of(Collections.nCopies(SERVERS, "")).without(0).with(0, "");
        final VirtualNetwork network = new VirtualNetwork(1, Weather.FAIR);
        final List<ShardServer> servers = new ArrayList<>();
        /** The messages from and to the replacement. */
        final List<Seen> seen = new ArrayList<>();

        final List<Seen> answers = new ArrayList<>();

        Cluster(RecoveryPace pace) {
            for (int server = 0; server < SERVERS; server++) {
                Optional<InitialState> initialState =
                        server == 0 ? Optional.empty() : Optional.of(InitialState.initial(model));
                servers.add(new ShardServer(
                        model, view.address(server), view, VirtualServers.TIMING, pace, initialState, this::send));
            }
            servers.forEach(server -> server.start(0));
            tick();
        }

        ShardServer replacement() {
            return servers.get(0);
        }

        private void send(Envelope envelope) {
            note(envelope, envelope.from());
            network.send(envelope);
        }

        private void note(Envelope envelope, Address whose) {
            if (whose.equals(view.address(0))) {
                seen.add(new Seen(network.now(), envelope.from(), envelope.message()));
            }
        }

        private void tick() {
            servers.forEach(server -> server.tick(network.now()));
            network.after(TICK, this::tick);
        }

        private void receive(Envelope envelope) {
            note(envelope, envelope.to());
            if (envelope.to().isServer()) {
                servers.get(envelope.to().id()).receive(envelope, network.now());
            } else if (envelope.to().equals(Address.worker(WORKER))) {
                answers.add(new Seen(network.now(), envelope.from(), envelope.message()));
            }
        }

        void runUntil(BooleanSupplier end) {
            while (!end.getAsBoolean()) {
                network.step(this::receive);
                assertThat(network.now()).as("comes to an end").isLessThan(100_000);
            }
        }

        /** Returns when it first asked for each range. */
        List<Seen> locks() {
            List<Seen> firsts = new ArrayList<>();
            for (Seen one : seen) {
                if (one.message() instanceof LockRange lock
                        && firsts.stream().noneMatch(first -> first.message().equals(lock))) {
                    firsts.add(one);
                }
            }
            return firsts;
        }

        /** Returns when a lock was held everywhere. */
        long had(long lock) {
            return seen.stream()
                    .filter(one -> one.message().equals(new StepRange(lock, Step.BUFFER)))
                    .mapToLong(Seen::time)
                    .findFirst()
                    .orElseThrow();
        }

        /** Returns when all other servers had released a lock. */
        long unlocked(long lock) {
            return Collections.max(unlocks(lock).values());
        }

        /** Returns when each server first sent a message. */
        Map<Address, Long> unlocks(long lock) {
            return seen.stream()
                    .filter(one -> one.message().equals(new Stepped(lock, Step.UNLOCK)))
                    .collect(Collectors.toMap(Seen::from, Seen::time, Math::min));
        }

        /** Runs until the rest after the second range. Returns the number of the lock. */
        long runUntilItRests() {
            runUntil(() -> locks().size() == 2);
            long lock = ((LockRange) locks().get(1).message()).lock();
            runUntil(() -> unlocks(lock).size() == SERVERS - 1);
            return lock;
        }
    }

    private static void assertRests(RecoveryPace pace) {
        Cluster cluster = new Cluster(pace);
        cluster.runUntil(cluster.replacement()::isRecovered);
        List<Seen> locks = cluster.locks();
        assertThat(locks).as("108 units, and 16 in a range").hasSize(7);
        for (int range = 1; range < locks.size(); range++) {
            long before = ((LockRange) locks.get(range - 1).message()).lock();
            long unlocked = cluster.unlocked(before);
            long worked = unlocked - cluster.had(before);
            assertThat(worked).isGreaterThan(10);
            assertThat(locks.get(range).time() - unlocked).isBetween(pace.rest(worked), pace.rest(worked) + TICK);
        }
        Shard wanted = Shard.of(cluster.model, 0, 0, InitialState.initial(cluster.model));
        Shard found = cluster.replacement().shard(0);
        for (long stripe = 0; stripe < wanted.stripes(); stripe++) {
            int unit = cluster.model.stripes().unitOn(0, stripe);
            if (unit >= 0) {
                assertThat(found.newest(stripe, unit)).isEqualTo(wanted.newest(stripe, unit));
            }
        }
    }

    @Test
    void itRestsAfterEachRangeAsLongAsItsShareSays() {
        assertThat(new RecoveryPace(3, 2, 0.25).rest(18)).isEqualTo(54);
        assertThat(new RecoveryPace(3, 2, 1).rest(18)).isZero();
        assertRests(new RecoveryPace(3, 2, 0.5));
        assertRests(new RecoveryPace(3, 2, 0.1));
        assertRests(new RecoveryPace(3, 2, 0.01));
    }

    @Test
    void withoutALimitItDoesNotRest() {
        Cluster cluster = new Cluster(new RecoveryPace(3, 2, 1));
        cluster.runUntil(cluster.replacement()::isRecovered);
        List<Seen> locks = cluster.locks();
        for (int range = 1; range < locks.size(); range++) {
            long before = ((LockRange) locks.get(range - 1).message()).lock();
            assertThat(locks.get(range).time()).isEqualTo(cluster.unlocked(before));
        }
    }

    @Test
    void itTellsTheDriverHowFarItIs() {
        Cluster cluster = new Cluster(new RecoveryPace(3, 2, 0.1));
        assertThat(cluster.replacement().counters()).isEqualTo(new ServerCounters(0, 0, 0, 108));
        cluster.runUntil(() -> cluster.seen.stream().anyMatch(one -> one.message() instanceof Recovered));
        List<Recovering> told = cluster.seen.stream()
                .filter(one -> one.message() instanceof Recovering)
                .map(one -> (Recovering) one.message())
                .toList();
        assertThat(told).hasSizeGreaterThan(10).allMatch(progress -> progress.units() == 108);
        assertThat(told.get(0).left()).isGreaterThan(80);
        assertThat(told.get(told.size() - 1).left()).isLessThan(20);
        assertThat(told).isSortedAccordingTo(Comparator.comparingDouble(Recovering::share));
        assertThat(cluster.replacement().counters()).isEqualTo(new ServerCounters(0, 0, 108, 0));
    }

    @Test
    void whatAWorkerWaitsForIsRecoveredDuringARest() {
        Cluster cluster = new Cluster(new RecoveryPace(3, 2, 0.01));
        long rests = cluster.runUntilItRests();
        long row = 0;
        while (cluster.model.stripes().owner(row) != 0 || !isMissing(cluster, row)) {
            row++;
        }
        long asked = cluster.network.now();
        cluster.network.send(new Envelope(
                Address.worker(WORKER), cluster.view.address(0), cluster.view.epoch(), new PullRows(1, 0, new long[] {
                    row
                })));
        cluster.runUntil(() -> !cluster.answers.isEmpty());
        assertThat(((Parameters) cluster.answers.get(0).message()).values()).hasSize(2);
        assertThat(cluster.answers.get(0).time()).as("four ways").isEqualTo(asked + 4);
        assertThat(isMissing(cluster, row)).isFalse();
        assertThat(cluster.replacement().isRecovered()).isFalse();
        assertThat(cluster.locks()).as("it still rests").hasSize(2);
        cluster.runUntil(() -> cluster.locks().size() > 2);
        long worked = cluster.unlocked(rests) - cluster.had(rests);
        assertThat(cluster.network.now()).isGreaterThanOrEqualTo(cluster.unlocked(rests) + 99 * worked);
    }

    private static boolean isMissing(Cluster cluster, long row) {
        return cluster.replacement()
                .shard(0)
                .isMissing(
                        cluster.model.stripes().stripe(row),
                        cluster.model.stripes().unit(row));
    }

    /** Another server fails during a rest: the rest continues, and the next range is locked on the remaining ones. */
    @Test
    void itRestsAlsoWhenTheOthersAreOthers() {
        Cluster cluster = new Cluster(new RecoveryPace(3, 2, 0.1));
        long rests = cluster.runUntilItRests();
        LockRange before = (LockRange) cluster.locks().get(1).message();
        View without = cluster.view.without(4);
        cluster.servers.forEach(server -> cluster.network.send(new Envelope(
                Address.DRIVER,
                cluster.view.address(cluster.servers.indexOf(server)),
                without.epoch(),
                new Fence(without))));
        cluster.runUntil(() -> cluster.replacement().view().epoch() == without.epoch());
        cluster.runUntil(() -> cluster.locks().size() > 2);
        long worked = cluster.unlocked(rests) - cluster.had(rests);
        assertThat(cluster.network.now())
                .isBetween(cluster.unlocked(rests) + 9 * worked, cluster.unlocked(rests) + 9 * worked + TICK);
        LockRange next = (LockRange) cluster.locks().get(2).message();
        assertThat(next.from()).as("the range after the last one").isEqualTo(before.to());
        assertThat(next.lock()).isEqualTo(before.lock() + 1);
        cluster.runUntil(cluster.replacement()::isRecovered);
        assertThat(cluster.replacement().hasLost()).as("what both had").isTrue();
    }

    /** Whoever dies, whenever, in any weather: as without rests, the state is exact in the end, bit for bit. */
    @Test
    void whoeverDiesAllIsThereInTheEnd() {
        for (int seed = 0; seed < 60; seed++) {
            int servers = 3 + seed % 4;
            Script script = Script.of(servers, 1 + seed % (servers - 1), 3, 6, seed);
            Weather weather = List.of(Weather.FAIR, Weather.STORM, Weather.CUTS).get(seed % 3);
            Random random = new Random(seed);
            try {
                Simulation simulation =
                        new Simulation(script, weather, new RecoveryPace(3, 2, seed % 2 == 0 ? 0.5 : 0.1));
                simulation.runTo(random.nextInt(400));
                simulation.killServer(random.nextInt(servers));
                simulation.runUntilHealthy(1);
                simulation.killServer(random.nextInt(servers));
                simulation.killWorker(random.nextInt(3));
                simulation.run();
                simulation.check();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }
}
