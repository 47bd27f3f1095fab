/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.membership.Membership;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A driver, servers and workers on a virtual network, in one thread. The dead send nothing more; a killed server is
 * replaced.
 */
final class Simulation {
    private static final long LIMIT = 60_000;

    private final Script script;
    private final ModelSpec model;
    private final VirtualNetwork.Weather weather;
    private final VirtualNetwork network;
    private final Membership membership;
    private final VirtualServers servers;
    private final List<Player> players = new ArrayList<>();
    final Oracle oracle;
    private boolean saving;
    private int pauses;

    Simulation(Script script, VirtualNetwork.Weather weather, RecoveryPace pace) {
        this.script = script;
        this.model = script.model();
        this.weather = weather;
        this.network = new VirtualNetwork(script.seed(), weather);
        this.oracle = new Oracle(script);
        this.servers = new VirtualServers(model, pace, network, oracle.witness());
        this.membership = servers.membership();
        for (int worker = 0; worker < script.workers(); worker++) {
            players.add(new Player(worker, script, membership.view(), network, oracle));
        }
        tick();
    }

    private void tick() {
        membership.tick(network.now());
        save();
        servers.tick();
        players.forEach(Player::tick);
        network.after(5, this::tick);
    }

    /** In a pause, takes a snapshot and checks for some time that the state stays the same. */
    private void save() {
        if (saving && membership.isResumed()) {
            saving = false;
        } else if (saving && membership.isPaused()) {
            saving = false;
            pauses++;
            if (weather.outage() > VirtualServers.TIMING.lease()) {
                // Who is cut off for so long seems dead, and of the dead a pause may have a part of an iteration.
                players.forEach(Player::suspect);
            }
            Snapshot now = snapshot();
            oracle.paused(now);
            int epoch = membership.view().epoch();
            network.after(script.seed() % 2 == 0 ? 60 : 2, () -> {
                if (membership.view().epoch() == epoch && servers.areAlive()) {
                    assertThat(snapshot().sameAs(now))
                            .as("nothing changes in a pause")
                            .isTrue();
                    assertThat(servers.all()).allMatch(ShardServer::isHeld);
                    membership.resume(network.now());
                    membership.checkpointed(network.now());
                }
            });
        }
    }

    private Snapshot snapshot() {
        return Snapshot.of(
                model, servers.all(), players.stream().map(Player::next).toList());
    }

    /** Pauses all servers, if all are healthy. */
    void pause() {
        if (isHealthy()) {
            saving = true;
            membership.pause(network.now());
        }
    }

    /** Number of pauses in which a snapshot was taken. */
    int pauses() {
        return pauses;
    }

    /** Makes workers wait for a random time, up to {@code longest} ms, between a pull and a push. */
    void think(int longest) {
        players.forEach(player -> player.think(longest));
    }

    private void receive(Envelope envelope) {
        Address to = envelope.to();
        if (to.equals(Address.DRIVER)) {
            membership.receive(envelope, network.now());
            if (membership.mustGoBack()) {
                rollBack();
            }
            save();
        } else if (to.isServer()) {
            oracle.witness().arrives(envelope);
            servers.receive(envelope);
        } else if (!to.isServer()) {
            players.get(to.id()).receive(envelope);
        }
    }

    void step() {
        network.step(this::receive);
        assertThat(network.now()).as("all comes to an end").isLessThan(LIMIT);
    }

    void steps(int count) {
        for (int step = 0; step < count; step++) {
            step();
        }
    }

    void runTo(long delivered) {
        while (network.delivered() < delivered && !isOver()) {
            step();
        }
    }

    /** Runs at least so many steps, then until all servers are healthy. */
    void runUntilHealthy(int atLeast) {
        for (int left = atLeast; left > 0 || !isHealthy(); left--) {
            step();
        }
    }

    /** Runs until workers are done and nothing is in progress. Returns the number of delivered messages. */
    long run() {
        while (!isOver()) {
            step();
        }
        return network.delivered();
    }

    private boolean isOver() {
        return players.stream().allMatch(Player::isDone)
                && isHealthy()
                && membership.isQuiet()
                && membership.isResumed()
                && servers.all().stream().allMatch(ShardServer::isQuiet);
    }

    boolean isHealthy() {
        return membership.isHealthy() && servers.areAlive();
    }

    /** Whether the last pause is over. */
    boolean isResumed() {
        return membership.isResumed();
    }

    /** How often workers were told of a rollback, in total. */
    int told() {
        return players.stream().mapToInt(player -> player.told.size()).sum();
    }

    boolean isTraining() {
        return !players.stream().allMatch(Player::isDone);
    }

    void drop(Predicate<Envelope> which) {
        network.drop(which);
    }

    ShardServer server(int number) {
        return servers.all().get(number);
    }

    List<ShardServer> servers() {
        return servers.all();
    }

    /** Number of workers that met lost data. */
    int losses() {
        return (int) players.stream().filter(Player::isLost).count();
    }

    long now() {
        return network.now();
    }

    /** A number that depends on the whole history. */
    long digest() {
        return network.digest();
    }

    Script script() {
        return script;
    }

    /** Kills a server, if it lives. */
    void killServer(int server) {
        servers.kill(server, this::failed);
    }

    /** Replaces a server, or rolls all back. */
    private void failed(int server) {
        if (model.redundancy().isNone()) {
            rollBack();
        } else {
            replaceLiving(server);
        }
    }

    /** Rolls all servers back. Until they are replaced, workers that have not heard of it train with the old ones. */
    private void rollBack() {
        membership.rolledBack(network.now());
        oracle.rolledBack(membership.view().epoch());
        for (int server = 0; server < model.servers(); server++) {
            servers.replaceSoon(server, Optional.of(oracle.checkpoint()));
        }
    }

    /** Checks that each worker was told of each rollback once, or is told by its next operation. */
    void checkTold() {
        players.forEach(Player::checkTold);
    }

    /** Replaces a server that is alive: it goes on as long as somebody listens. */
    void replaceLiving(int server) {
        servers.replace(server);
    }

    void killWorker(int worker) {
        players.get(worker).die();
    }

    /** Closes a worker, perhaps in the middle of a push. */
    void closeWorker(int worker) {
        players.get(worker).close();
    }

    /** Checks that servers have what is committed, and nothing else. */
    void check() {
        for (ShardServer server : servers.all()) {
            assertThat(server.isRecovered()).isTrue();
            assertThat(server.hasLost()).isFalse();
            for (int table = 0; table < model.tables().size(); table++) {
                assertThat(server.shard(table).missing()).isZero();
                assertThat(server.shard(table).buffered()).isZero();
            }
        }
        oracle.check(servers.all(), Set.of());
    }
}
