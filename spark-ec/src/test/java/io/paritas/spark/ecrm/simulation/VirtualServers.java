/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import io.paritas.spark.ecrm.membership.Membership;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The servers of a model on a virtual network, and what the driver knows of them. The dead send nothing more, and are replaced. */
final class VirtualServers {
    static final Timing TIMING = new Timing(20, 200, 3);
    private static final int DETECTION = 40;
    private static final int REPLACEMENT = 25;

    /** Who looks at what servers do. */
    interface Observer {
        Observer NONE = new Observer() {
            @Override
            public void sends(Envelope envelope) {}

            @Override
            public void acts(Address address, ShardServer server, Runnable action) {
                action.run();
            }
        };

        void sends(Envelope envelope);

        /** Runs what a server does. */
        void acts(Address address, ShardServer server, Runnable action);
    }

    private final ModelSpec model;
    private final RecoveryPace pace;
    private final VirtualNetwork network;
    private final Observer observer;
    private final Membership membership;
    private final List<ShardServer> servers = new ArrayList<>();
    /** Those of the living; others are null. */
    private final List<Address> addresses = new ArrayList<>();

    VirtualServers(ModelSpec model, RecoveryPace pace, VirtualNetwork network, Observer observer) {
        this.model = model;
        this.pace = pace;
        this.network = network;
        this.observer = observer;
        View view = View.of(Collections.nCopies(model.servers(), ""));
        this.membership = new Membership(view, TIMING, network::send);
        for (int server = 0; server < model.servers(); server++) {
            servers.add(null);
            addresses.add(null);
            start(server, view.address(server), Optional.of(InitialState.initial(model)));
        }
    }

    private void start(int number, Address address, Optional<InitialState> state) {
        ShardServer server = new ShardServer(model, address, membership.view(), TIMING, pace, state, envelope -> {
            if (address.equals(addresses.get(number))) {
                observer.sends(envelope);
                network.send(envelope);
            }
        });
        servers.set(number, server);
        addresses.set(number, address);
        server.start(network.now());
    }

    Membership membership() {
        return membership;
    }

    /** All of them, dead ones too. */
    List<ShardServer> all() {
        return servers;
    }

    boolean areAlive() {
        return addresses.stream().allMatch(address -> address != null);
    }

    void tick() {
        for (int server = 0; server < servers.size(); server++) {
            act(server, one -> one.tick(network.now()));
        }
    }

    void receive(Envelope envelope) {
        act(envelope.to().id(), server -> server.receive(envelope, network.now()));
    }

    /** Has a server act, if it lives. */
    private void act(int number, Consumer<ShardServer> event) {
        Address address = addresses.get(number);
        if (address != null) {
            ShardServer server = servers.get(number);
            observer.acts(address, server, () -> event.accept(server));
        }
    }

    /** Kills a server, if it lives. The driver hears of it later, unless it has replaced the server by then. */
    void kill(int server, Consumer<Integer> heard) {
        Address address = addresses.get(server);
        if (address != null) {
            addresses.set(server, null);
            network.after(DETECTION, () -> {
                if (membership.view().has(address)) {
                    heard.accept(server);
                }
            });
        }
    }

    /** Replaces a server, which goes on as long as somebody listens if it is alive. */
    void replace(int server) {
        membership.failed(server, network.now());
        replaceSoon(server, Optional.empty());
    }

    /** Replaces a server that is down, unless all go back to a checkpoint before. */
    void replaceSoon(int server, Optional<InitialState> state) {
        int rollbacks = membership.view().rollbacks();
        network.after(REPLACEMENT, () -> {
            if (membership.view().rollbacks() == rollbacks) {
                start(server, membership.replaced(server, "", network.now()), state);
            }
        });
    }
}
