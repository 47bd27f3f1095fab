/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.client.Push;
import io.paritas.spark.ecrm.client.Worker;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.simulation.VirtualNetwork.Weather;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Two groups of workers whose hosts began to count their time 24 hours apart push to one row. */
class ClocksTest {
    private static final int SERVERS = 4;
    private static final int WORKERS = 8;
    private static final int MILLIS = 5000;
    private static final long APART = 24 * 3600 * 1000L;

    private final ModelSpec model = new ModelSpec(
            SERVERS,
            Redundancy.coded(2),
            List.of(new TableSpec(100, 2, new Optimizer.Sgd(1), new Initializer(3, -1, 1))),
            List.of());
    private final View view = View.of(Collections.nCopies(SERVERS, ""));
    private final VirtualNetwork network = new VirtualNetwork(1, new Weather(0, 0, 5, 0, 1, 0, 1));
    private final List<ShardServer> servers = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();
    private final List<Push> pushes = new ArrayList<>();
    private final int[] commits = new int[WORKERS];

    /** The time of a worker's host. */
    private long time(int worker) {
        return network.now() + (worker % 2) * APART;
    }

    private void push(int worker) {
        RowGradients hot = new RowGradients(0, new long[] {3}, new float[] {1, 1});
        Push push = workers.get(worker).push(List.of(hot), List.of(), List.of(), network.now(), time(worker));
        pushes.set(worker, push);
    }

    private void proceed(int worker) {
        if (pushes.get(worker).isDone()) {
            pushes.get(worker).check();
            commits[worker]++;
            push(worker);
        }
    }

    private void receive(Envelope envelope) {
        int to = envelope.to().id();
        if (envelope.to().isServer()) {
            servers.get(to).receive(envelope, network.now());
        } else if (!envelope.to().equals(Address.DRIVER)) {
            workers.get(to).receive(envelope, time(to));
            proceed(to);
        }
    }

    private void tick() {
        servers.forEach(server -> server.tick(network.now()));
        for (int worker = 0; worker < WORKERS; worker++) {
            workers.get(worker).tick(time(worker));
            proceed(worker);
        }
        network.after(1, this::tick);
    }

    @Test
    void bothCommitAsMuch() {
        for (int server = 0; server < SERVERS; server++) {
            servers.add(new ShardServer(
                    model,
                    view.address(server),
                    view,
                    VirtualServers.TIMING,
                    RecoveryPace.DEFAULT,
                    Optional.of(InitialState.initial(model)),
                    network::send));
        }
        for (int worker = 0; worker < WORKERS; worker++) {
            workers.add(new Worker(model, worker, view, VirtualServers.TIMING, network::send));
            pushes.add(null);
            push(worker);
        }
        tick();
        while (network.now() < MILLIS) {
            network.step(this::receive);
        }
        int[] groups = new int[2];
        for (int worker = 0; worker < WORKERS; worker++) {
            groups[worker % 2] += commits[worker];
        }
        assertThat(groups[0] + groups[1]).isGreaterThan(100);
        assertThat(groups[0]).isBetween((groups[0] + groups[1]) / 3, 2 * (groups[0] + groups[1]) / 3);
    }
}
