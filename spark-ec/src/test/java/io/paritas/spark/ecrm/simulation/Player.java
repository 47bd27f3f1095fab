/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ecrm.client.DataLossException;
import io.paritas.spark.ecrm.client.Pull;
import io.paritas.spark.ecrm.client.Push;
import io.paritas.spark.ecrm.client.RolledBackException;
import io.paritas.spark.ecrm.client.Worker;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** A worker that follows the script. */
final class Player {
    final int id;
    final Worker worker;
    /** Numbers of the rollbacks that it was told of. */
    final List<Integer> told = new ArrayList<>();

    private final Script script;
    private final VirtualNetwork network;
    private final Oracle oracle;
    private final Random thoughts;
    private final List<Pull> pulls = new ArrayList<>();
    private int iteration;
    private Push push;
    /** The view when the pull began. */
    private View pulledIn;

    private int longest;
    private long thinksUntil;
    private boolean dead;
    private boolean lost;

    Player(int id, Script script, View view, VirtualNetwork network, Oracle oracle) {
        this.id = id;
        this.script = script;
        this.network = network;
        this.oracle = oracle;
        this.thoughts = new Random(script.seed() * 31 + id);
        this.worker = new Worker(script.model(), id, view, VirtualServers.TIMING, this::send);
    }

    private void send(Envelope envelope) {
        if (!dead) {
            network.send(envelope);
        }
    }

    void receive(Envelope envelope) {
        if (!dead) {
            if (envelope.message() instanceof Fence fence
                    && fence.view().epoch() > worker.view().epoch()
                    && fence.view().rollbacks() == worker.view().rollbacks()) {
                suspect();
            }
            worker.receive(envelope, network.now());
            proceed();
        }
    }

    void tick() {
        if (!dead) {
            worker.tick(network.now());
            proceed();
        }
    }

    /** Sends nothing more. */
    void die() {
        suspect();
        dead = true;
    }

    /** Is closed, as the client of a task that is killed. */
    void close() {
        suspect();
        if (!dead) {
            worker.leave();
        }
        dead = true;
    }

    /** Waits for a random time, up to {@code most} ms, between a pull and a push. */
    void think(int most) {
        longest = most;
    }

    /** Marks the iteration in progress as one whose outcome may be unknown. */
    void suspect() {
        if (push != null && !push.isDone()) {
            oracle.suspect(new Oracle.Iteration(id, iteration));
        }
    }

    boolean isDone() {
        return dead || iteration == script.iterations();
    }

    /** Goes on; stops at lost data, and goes back after a rollback. */
    private void proceed() {
        try {
            play();
        } catch (DataLossException e) {
            lost = true;
            iteration = script.iterations();
            push = null;
        } catch (RolledBackException e) {
            told.add(e.rollbacks());
            iteration = oracle.checkpoint().next().get(id);
            push = null;
            pulls.clear();
        }
    }

    /** The next iteration if servers went back to their state of now. */
    int next() {
        return push == null ? iteration : iteration + 1;
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
            if (isDone()) {
                worker.leave();
            }
        }
        if (isDone()) {
            return;
        }
        List<RowGradients> rows = script.rows(id, iteration);
        if (push == null && pulls.isEmpty()) {
            pulledIn = worker.view();
            thinksUntil = 0;
            rows.forEach(part -> pulls.add(worker.pullRows(part.table(), part.rows(), network.now())));
            pulls.add(worker.pullBlocks(new int[] {1, 0}, network.now()));
        } else if (push == null && pulls.stream().allMatch(Pull::isDone)) {
            if (thinks()) {
                return;
            }
            // Also throws the failure of the pull of blocks.
            pulls.forEach(Pull::parameters);
            for (int i = 0; i < rows.size(); i++) {
                oracle.read(rows.get(i), pulls.get(i).parameters(), pulledIn.epoch());
            }
            pulls.clear();
            push = worker.push(rows, script.blocks(id, iteration), List.of(), network.now(), network.now());
            assertThat(worker.view().rollbacks())
                    .as("pushed what it pulled since servers went back")
                    .isEqualTo(pulledIn.rollbacks());
            oracle.began(push.tx(), new Oracle.Iteration(id, iteration));
        }
    }

    private boolean thinks() {
        if (thinksUntil == 0 && longest > 0) {
            thinksUntil = network.now() + thoughts.nextInt(longest);
        }
        return network.now() < thinksUntil;
    }

    boolean isLost() {
        return lost;
    }

    /** Checks that it was told of each rollback once, or is told by its next operation. */
    void checkTold() {
        if (dead) {
            return;
        }
        int rollbacks = worker.view().rollbacks();
        if (told.size() < rollbacks) {
            assertThatThrownBy(() -> worker.pullBlocks(new int[] {0}, network.now()))
                    .isInstanceOfSatisfying(RolledBackException.class, e -> told.add(e.rollbacks()));
        }
        worker.pullBlocks(new int[] {0}, network.now());
        assertThat(told).isEqualTo(IntStream.rangeClosed(1, rollbacks).boxed().toList());
    }
}
