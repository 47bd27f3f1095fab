/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.client.Pull;
import io.paritas.spark.ecrm.client.Push;
import io.paritas.spark.ecrm.client.Settlement;
import io.paritas.spark.ecrm.client.Worker;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.simulation.VirtualNetwork.Weather;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * A worker dies, with a server at times, and another one goes on with its work. What that reads when it has settled is what the
 * iterations that it finds committed have made, on all servers.
 */
class SuccessorTest {
    private static final int SERVERS = 4;
    private static final int ROWS = 8;
    private static final int HISTORIES = 1000;

    /** Ways are cut for longer than it takes to give a worker up: servers hear at different times what has become of its iteration. */
    private static final Weather WEATHER = new Weather(0, 0, 8, 0, 1, 0.04, 400);

    private static final long LIMIT = 60_000;

    private static final Initializer ZERO = new Initializer(0, 0, 0);

    /** Each iteration subtracts 1 from all numbers. */
    private static final ModelSpec MODEL = new ModelSpec(
            SERVERS,
            Redundancy.coded(2),
            List.of(new TableSpec(ROWS, 1, new Optimizer.Sgd(1), ZERO)),
            List.of(
                    new BlockSpec(1, new Optimizer.Sgd(1), ZERO),
                    new BlockSpec(1, new Optimizer.Sgd(1), ZERO),
                    new BlockSpec(1, new Optimizer.Sgd(1), ZERO)));

    @Test
    void readsWhatAllItsPredecessorsIterationsHaveMade() {
        for (int seed = 0; seed < HISTORIES; seed++) {
            float[] read = new History(seed, WEATHER).successor(true);
            assertThat(read).as("seed %d", seed).containsOnly(read[0]);
        }
    }

    /** The reason why workers settle. */
    @Test
    void withoutSettlingSomeOfThatIsMissingAtTimes() {
        int torn = 0;
        for (int seed = 0; seed < HISTORIES; seed++) {
            float[] read = new History(seed, WEATHER).successor(false);
            torn += Arrays.equals(read, filled(read[0], read.length)) ? 0 : 1;
        }
        assertThat(torn).isPositive();
    }

    private static float[] filled(float value, int length) {
        float[] all = new float[length];
        Arrays.fill(all, value);
        return all;
    }

    /** A driver, servers, and one worker after the other. */
    private static final class History {
        private final Random random;
        private final VirtualNetwork network;
        private final VirtualServers servers;
        private Worker worker;
        private int id = -1;

        History(long seed, Weather weather) {
            random = new Random(seed);
            network = new VirtualNetwork(seed, weather);
            servers = new VirtualServers(MODEL, RecoveryPace.DEFAULT, network, VirtualServers.Observer.NONE);
            begin();
            tick();
        }

        /** The next worker; the one before is dead. */
        private void begin() {
            int number = ++id;
            worker = new Worker(MODEL, number, servers.membership().view(), VirtualServers.TIMING, envelope -> {
                if (number == id) {
                    network.send(envelope);
                }
            });
        }

        private void tick() {
            servers.membership().tick(network.now());
            servers.tick();
            worker.tick(network.now());
            network.after(5, this::tick);
        }

        private void receive(Envelope envelope) {
            Address to = envelope.to();
            if (to.equals(Address.DRIVER)) {
                servers.membership().receive(envelope, network.now());
            } else if (to.isServer()) {
                servers.receive(envelope);
            } else if (to.id() == id) {
                worker.receive(envelope, network.now());
            }
        }

        private void await(BooleanSupplier done) {
            while (!done.getAsBoolean()) {
                network.step(this::receive);
                assertThat(network.now()).as("all comes to an end").isLessThan(LIMIT);
            }
        }

        private Push push(float gradient, boolean all) {
            long[] rows = all ? LongStream.range(0, ROWS).toArray() : new long[] {0};
            List<BlockGradient> blocks = all
                    ? List.of(
                            new BlockGradient(0, new float[] {gradient}),
                            new BlockGradient(1, new float[] {gradient}),
                            new BlockGradient(2, new float[] {gradient}))
                    : List.of();
            return worker.push(
                    List.of(new RowGradients(0, rows, filled(gradient, rows.length))),
                    blocks,
                    List.of(),
                    network.now(),
                    network.now());
        }

        /** What the second worker reads of all rows and blocks, after the number of iterations, which row 0 has counted. */
        float[] successor(boolean settles) {
            for (long last = network.delivered() + 20 + random.nextInt(150); network.delivered() < last; ) {
                Push push = push(1, true);
                await(() -> push.isDone() || network.delivered() >= last);
            }
            if (random.nextBoolean()) {
                servers.kill(random.nextInt(SERVERS), servers::replace);
            }
            begin();
            Push nothing = push(0, false);
            await(nothing::isDone);
            Pull count = worker.pullRows(0, new long[] {0}, network.now());
            await(count::isDone);
            if (settles) {
                Settlement settlement = worker.settle(network.now());
                await(settlement::isDone);
            }
            Pull rows = worker.pullRows(0, LongStream.range(0, ROWS).toArray(), network.now());
            Pull blocks = worker.pullBlocks(new int[] {0, 1, 2}, network.now());
            await(() -> rows.isDone() && blocks.isDone());
            float[] read = Arrays.copyOf(count.parameters(), 1 + ROWS + 3);
            System.arraycopy(rows.parameters(), 0, read, 1, ROWS);
            System.arraycopy(blocks.parameters(), 0, read, 1 + ROWS, 3);
            return read;
        }
    }
}
