/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.Order;
import io.paritas.spark.ecrm.protocol.CommitMessage.Ordered;
import io.paritas.spark.ecrm.protocol.ReadMessage.BlockCopy;
import io.paritas.spark.ecrm.protocol.ReadMessage.CopyBlock;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.table.Block;
import io.paritas.spark.ecrm.table.Origin;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The blocks of the neural network that a server has. Both servers of a block get each gradient, in one phase the second from the first. The first one makes
 * updates as they are committed, and tells the second one in which order; so the two stay equal, bit for bit. Who has been there
 * longer is the first.
 */
final class Replicas {
    /** A block of this server, and what is to be done with it. */
    private static final class Replica {
        final Block block;
        /** At the second server: committed updates that wait for their turn. */
        final Map<TxId, float[]> committed = new HashMap<>();
        /** At the second server: whose turn it is. */
        final TreeMap<Long, TxId> turns = new TreeMap<>();
        /** At the first server: what the second one has not yet said to know. */
        final Map<TxId, Order> told = new LinkedHashMap<>();

        Address toldTo;
        long request = -1;
        boolean lost;

        Replica(Block block) {
            this.block = block;
        }
    }

    private final Site site;
    private final Map<Integer, Replica> replicas = new TreeMap<>();
    private long told;

    Replicas(Site site, Optional<Origin> origin) {
        this.site = site;
        for (int number = 0; number < site.model.blocks().size(); number++) {
            if (site.replicas.has(site.self.id(), number)) {
                var spec = site.model.blocks().get(number);
                replicas.put(
                        number,
                        new Replica(
                                origin.isEmpty()
                                        ? Block.empty(spec)
                                        : origin.get().block(number)));
            }
        }
    }

    Block block(int number) {
        return replicas.get(number).block;
    }

    boolean isFirst(int number) {
        return site.view().first(site.replicas.servers(number)) == site.self.id();
    }

    /** The other server of a block, if there is one that is up. */
    private Optional<Address> other(int number) {
        OptionalInt other = site.replicas.other(number, site.self.id());
        return other.isPresent() && site.view().isUp(other.getAsInt())
                ? Optional.of(site.view().address(other.getAsInt()))
                : Optional.empty();
    }

    void committed(TxId tx, int number, float[] gradient) {
        Replica replica = replicas.get(number);
        replica.committed.put(tx, gradient);
        if (isFirst(number)) {
            flush(number, replica);
        } else {
            catchUp(replica);
        }
    }

    /** The first makes all updates. */
    private void flush(int number, Replica replica) {
        if (replica.block.isMissing()) {
            replica.lost = true;
            return;
        }
        catchUp(replica);
        replica.turns.values().forEach(tx -> update(number, replica, tx));
        replica.turns.clear();
        replica.committed.keySet().stream()
                .sorted(Comparator.comparingInt(TxId::worker).thenComparingLong(TxId::sequence))
                .toList()
                .forEach(tx -> update(number, replica, tx));
    }

    private void update(int number, Replica replica, TxId tx) {
        float[] gradient = replica.committed.remove(tx);
        Order order = new Order(tx, number, replica.block.updates(), site.isOnePhase() ? gradient : new float[0]);
        replica.block.update(gradient);
        other(number).ifPresent(second -> {
            replica.toldTo = second;
            replica.told.put(tx, order);
            site.send(second, order);
        });
    }

    /** The second makes those whose turn it is. */
    private void catchUp(Replica replica) {
        if (!replica.block.isMissing()) {
            while (!replica.turns.isEmpty() && replica.turns.firstKey() <= replica.block.updates()) {
                Map.Entry<Long, TxId> turn = replica.turns.pollFirstEntry();
                float[] gradient = replica.committed.remove(turn.getValue());
                if (turn.getKey() == replica.block.updates()) {
                    replica.block.update(gradient);
                }
            }
        }
    }

    /** The first says whose turn it was; thereby it says that this is committed. */
    void order(Address first, Order order, Transactions transactions) {
        Replica replica = replicas.get(order.block());
        if (isFirst(order.block())) {
            return;
        }
        // What began before this server was is not known here, but made in the copy, because that waits for it.
        boolean made = !replica.block.isMissing() && order.update() < replica.block.updates();
        if (!made) {
            if (site.isOnePhase()) {
                replica.committed.put(order.tx(), order.gradient());
            }
            if (!replica.committed.containsKey(order.tx()) && !transactions.commit(order.tx())) {
                return;
            }
            replica.turns.put(order.update(), order.tx());
            catchUp(replica);
        } else {
            replica.committed.remove(order.tx());
        }
        site.send(first, new Ordered(order.tx(), order.block()));
    }

    /** Whether the second server may not know yet of an update. */
    boolean isTold(TxId tx, int number) {
        return replicas.get(number).told.containsKey(tx);
    }

    void ordered(Address second, Ordered answer) {
        Replica replica = replicas.get(answer.block());
        if (second.equals(replica.toldTo)) {
            replica.told.remove(answer.tx());
        }
    }

    void fence() {
        replicas.forEach((number, replica) -> {
            if (replica.toldTo != null && !site.view().has(replica.toldTo)) {
                replica.told.clear();
            }
            if (isFirst(number)) {
                flush(number, replica);
            }
            replica.request = -1;
        });
        copyMissing();
    }

    private void copyMissing() {
        replicas.forEach((number, replica) -> {
            if (replica.block.isMissing() && !replica.lost) {
                if (replica.request < 0) {
                    replica.request = site.nextRequest();
                }
                other(number).ifPresent(first -> site.send(first, new CopyBlock(replica.request, number)));
            }
        });
    }

    void copy(Address second, CopyBlock question, Transactions transactions) {
        Replica replica = replicas.get(question.block());
        if (replica.block.isMissing()) {
            site.send(second, new BlockCopy(question.request(), question.block(), 0, new float[0]));
        } else if (isFirst(question.block()) && !transactions.isBlockStaged(question.block(), site.epoch())) {
            Block block = replica.block;
            site.send(second, new BlockCopy(question.request(), question.block(), block.updates(), block.all()));
        }
    }

    void copied(BlockCopy answer) {
        Replica replica = replicas.get(answer.block());
        if (replica.request != answer.request() || !replica.block.isMissing()) {
            return;
        }
        if (answer.all().length == 0) {
            replica.lost = true;
        } else {
            replica.block.copy(answer.all(), answer.updates());
            catchUp(replica);
        }
    }

    void tick() {
        if (site.now() - told >= site.timing.retry()) {
            told = site.now();
            copyMissing();
            replicas.values()
                    .forEach(replica -> replica.told.values().forEach(order -> site.send(replica.toldTo, order)));
        }
    }

    boolean isLost(int number) {
        return replicas.get(number).lost;
    }

    /** Whether all blocks are here, or lost. */
    boolean isComplete() {
        return replicas.values().stream().allMatch(replica -> replica.lost || !replica.block.isMissing());
    }

    int[] lost() {
        return replicas.entrySet().stream()
                .filter(entry -> entry.getValue().lost)
                .mapToInt(Map.Entry::getKey)
                .toArray();
    }

    /** Whether nothing waits for its turn, nor to be told. */
    boolean isQuiet() {
        return replicas.values().stream()
                .allMatch(replica -> List.of(replica.committed, replica.turns, replica.told).stream()
                        .allMatch(Map::isEmpty));
    }
}
