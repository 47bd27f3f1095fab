/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.client.LostException;
import io.paritas.spark.ecrm.client.Pull;
import io.paritas.spark.ecrm.client.Push;
import io.paritas.spark.ecrm.client.Worker;
import io.paritas.spark.ecrm.membership.Membership;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.server.Pace;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Origin;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** A driver, servers and workers on a virtual network, in one thread. Who is killed says nothing more; a killed server is replaced. */
final class Simulation {
    static final Timing TIMING = new Timing(20, 200, 3);
    private static final int DETECTION = 40;
    private static final int REPLACEMENT = 25;
    private static final long LIMIT = 60_000;

    /** One that does what the script says. */
    private final class Player {
        final int id;
        final Worker worker;
        final List<Pull> pulls = new ArrayList<>();
        int iteration;
        Push push;
        boolean dead;

        Player(int id) {
            this.id = id;
            this.worker = new Worker(model, id, membership.view(), TIMING, envelope -> send(envelope, this));
        }

        private void send(Envelope envelope, Player from) {
            if (!from.dead) {
                network.send(envelope);
            }
        }

        /** Of what is on its way, it cannot know what becomes. */
        void suspect() {
            if (push != null && !push.isDone()) {
                oracle.suspect(new Oracle.Iteration(id, iteration));
            }
        }

        boolean isDone() {
            return dead || iteration == script.iterations();
        }

        /** One that meets what is lost stops. */
        void proceed() {
            try {
                play();
            } catch (LostException e) {
                losses++;
                iteration = script.iterations();
                push = null;
            }
        }

        private void play() {
            if (push != null) {
                oracle.began(push.tx(), new Oracle.Iteration(id, iteration));
            }
            if (push != null && push.isDone()) {
                push.check();
                oracle.committed(push.tx());
                push = null;
                iteration++;
            }
            if (isDone()) {
                return;
            }
            List<RowGradients> rows = script.rows(id, iteration);
            if (push == null && pulls.isEmpty()) {
                rows.forEach(part -> pulls.add(worker.pullRows(part.table(), part.rows(), network.now())));
                pulls.add(worker.pullBlocks(new int[] {1, 0}, network.now()));
            } else if (push == null && pulls.stream().allMatch(Pull::isDone)) {
                for (int i = 0; i < rows.size(); i++) {
                    RowGradients part = rows.get(i);
                    int width = model.tables().get(part.table()).width();
                    for (int row = 0; row < part.rows().length; row++) {
                        oracle.read(part.table(), part.rows()[row], pulls.get(i).parameters(), row * width);
                    }
                }
                pulls.clear();
                push = worker.push(rows, script.blocks(id, iteration), network.now());
                oracle.began(push.tx(), new Oracle.Iteration(id, iteration));
            }
        }
    }

    private final Script script;
    private final ModelSpec model;
    private final Pace pace;
    private final VirtualNetwork network;
    private final Membership membership;
    private final List<ShardServer> servers = new ArrayList<>();
    private final List<Address> addresses = new ArrayList<>();
    private final List<Player> players = new ArrayList<>();
    final Oracle oracle;
    private int losses;

    Simulation(Script script, VirtualNetwork.Weather weather, Pace pace) {
        this.script = script;
        this.model = script.model();
        this.pace = pace;
        this.network = new VirtualNetwork(script.seed(), weather);
        this.oracle = new Oracle(script);
        View view = View.of(Collections.nCopies(model.servers(), ""));
        this.membership = new Membership(view, TIMING, network::send);
        for (int server = 0; server < model.servers(); server++) {
            servers.add(null);
            addresses.add(null);
            start(server, view.address(server), view, Optional.of(Origin.initial(model)));
        }
        for (int worker = 0; worker < script.workers(); worker++) {
            players.add(new Player(worker));
        }
        tick();
    }

    private void start(int number, Address address, View view, Optional<Origin> origin) {
        ShardServer server = new ShardServer(model, address, view, TIMING, pace, origin, envelope -> {
            if (address.equals(addresses.get(number))) {
                network.send(envelope);
            }
        });
        servers.set(number, server);
        addresses.set(number, address);
        server.start(network.now());
    }

    private void tick() {
        membership.tick(network.now());
        for (int server = 0; server < servers.size(); server++) {
            if (addresses.get(server) != null) {
                servers.get(server).tick(network.now());
            }
        }
        for (Player player : players) {
            if (!player.dead) {
                player.worker.tick(network.now());
                player.proceed();
            }
        }
        network.after(5, this::tick);
    }

    private void receive(Envelope envelope) {
        oracle.sees(envelope);
        Address to = envelope.to();
        if (to.equals(Address.DRIVER)) {
            membership.receive(envelope, network.now());
        } else if (to.isServer() && addresses.get(to.id()) != null) {
            servers.get(to.id()).receive(envelope, network.now());
        } else if (!to.isServer() && !players.get(to.id()).dead) {
            Player player = players.get(to.id());
            if (envelope.message() instanceof Fence fence
                    && fence.view().epoch() > player.worker.view().epoch()) {
                player.suspect();
            }
            player.worker.receive(envelope, network.now());
            player.proceed();
        }
    }

    void step() {
        network.step(this::receive);
        assertThat(network.now()).as("all comes to an end").isLessThan(LIMIT);
    }

    void runTo(long delivered) {
        while (network.delivered() < delivered && !isOver()) {
            step();
        }
    }

    /** Until all is done, and nothing is on its way to be. */
    long run() {
        while (!isOver()) {
            step();
        }
        return network.delivered();
    }

    private boolean isOver() {
        return players.stream().allMatch(Player::isDone)
                && membership.isHealthy()
                && membership.isQuiet()
                && addresses.stream().allMatch(address -> address != null)
                && servers.stream().allMatch(ShardServer::isQuiet);
    }

    boolean isHealthy() {
        return membership.isHealthy() && addresses.stream().allMatch(address -> address != null);
    }

    boolean isTraining() {
        return !players.stream().allMatch(Player::isDone);
    }

    void drop(Predicate<Envelope> which) {
        network.drop(which);
    }

    ShardServer server(int number) {
        return servers.get(number);
    }

    List<ShardServer> servers() {
        return servers;
    }

    /** Workers that were told that something is lost. */
    int losses() {
        return losses;
    }

    long now() {
        return network.now();
    }

    Script script() {
        return script;
    }

    void killServer(int server) {
        addresses.set(server, null);
        network.after(DETECTION, () -> membership.failed(server, network.now()));
        network.after(DETECTION + REPLACEMENT, () -> {
            Address address = membership.replaced(server, "", network.now());
            start(server, address, membership.view(), Optional.empty());
        });
    }

    /** Takes a server for dead that is not: it goes on as long as somebody listens. */
    void replaceLiving(int server) {
        membership.failed(server, network.now());
        network.after(REPLACEMENT, () -> {
            Address address = membership.replaced(server, "", network.now());
            start(server, address, membership.view(), Optional.empty());
        });
    }

    void killWorker(int worker) {
        players.get(worker).suspect();
        players.get(worker).dead = true;
    }

    /** All servers have what is committed, and nothing else. */
    void check() {
        for (ShardServer server : servers) {
            assertThat(server.isRecovered()).isTrue();
            assertThat(server.lostStripes()).isEmpty();
            for (int table = 0; table < model.tables().size(); table++) {
                assertThat(server.shard(table).missing()).isZero();
                assertThat(server.shard(table).buffered()).isZero();
            }
        }
        oracle.check(servers, Set.of());
    }
}
