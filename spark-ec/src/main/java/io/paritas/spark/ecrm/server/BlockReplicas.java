/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.Order;
import io.paritas.spark.ecrm.protocol.CommitMessage.Ordered;
import io.paritas.spark.ecrm.protocol.ReadMessage.BlockCopy;
import io.paritas.spark.ecrm.protocol.ReadMessage.CopyBlock;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.table.Block;
import io.paritas.spark.ecrm.table.InitialState;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The replicas of blocks on one server (thesis, 5.3.3). Both replicas of a block get every gradient; with one phase,
 * the second gets it from the first. The first replica applies updates as they are committed and sends their order to
 * the second, so the two stay equal, bit for bit. The first replica is the one that has been up longer.
 */
final class BlockReplicas {
    /** A block of this server and its pending updates. */
    private static final class Replica {
        final Block block;
        /** Second replica: committed updates that wait for their turn. */
        final Map<TxId, float[]> committed = new HashMap<>();
        /** Second replica: the attempt of each position. */
        final TreeMap<Long, TxId> turns = new TreeMap<>();
        /** First replica: orders that the second one has not acknowledged. */
        final Map<TxId, Order> unacknowledged = new LinkedHashMap<>();

        Address orderedTo;
        long request = -1;
        boolean lost;

        Replica(Block block) {
            this.block = block;
        }
    }

    private final ServerContext context;
    private final Map<Integer, Replica> replicas = new TreeMap<>();
    /** When requests were last repeated. */
    private long repeated;

    BlockReplicas(ServerContext context, Optional<InitialState> initialState) {
        this.context = context;
        for (int number = 0; number < context.model.blocks().size(); number++) {
            if (context.replicas.has(context.self.id(), number)) {
                var spec = context.model.blocks().get(number);
                replicas.put(
                        number,
                        new Replica(
                                initialState.isEmpty()
                                        ? Block.empty(spec)
                                        : initialState.get().block(number)));
            }
        }
    }

    Block block(int number) {
        return replicas.get(number).block;
    }

    boolean isFirst(int number) {
        return context.view().first(context.replicas.servers(number)) == context.self.id();
    }

    /** Returns the server of the other replica, if it is up. */
    private Optional<Address> other(int number) {
        OptionalInt other = context.replicas.other(number, context.self.id());
        return other.isPresent() && context.view().isUp(other.getAsInt())
                ? Optional.of(context.view().address(other.getAsInt()))
                : Optional.empty();
    }

    /** Takes a committed update; the first replica applies it, the second when it is its turn. */
    void committed(TxId tx, int number, float[] gradient) {
        Replica replica = replicas.get(number);
        replica.committed.put(tx, gradient);
        if (isFirst(number)) {
            flush(number, replica);
        } else {
            catchUp(replica);
        }
    }

    /** First replica: applies all committed updates. */
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
        Order order = new Order(tx, number, replica.block.updates(), context.isOnePhase() ? gradient : new float[0]);
        replica.block.update(gradient);
        other(number).ifPresent(second -> {
            replica.orderedTo = second;
            replica.unacknowledged.put(tx, order);
            context.send(second, order);
        });
    }

    /** Second replica: applies the updates whose turn it is. */
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

    /** Second replica: takes the position of an update, which thereby is known to be committed. */
    void order(Address first, Order order, Transactions transactions) {
        Replica replica = replicas.get(order.block());
        if (isFirst(order.block())) {
            return;
        }
        // What is part of the copy of the block is over here. An attempt older than this server is unknown here, and
        // part of the copy, because the copy waited for it.
        boolean made = !replica.block.isMissing() && order.update() < replica.block.updates();
        if (!made) {
            if (context.isOnePhase()) {
                replica.committed.put(order.tx(), order.gradient());
            }
            if (!replica.committed.containsKey(order.tx())
                    && !transactions.outcomes().commit(order.tx())) {
                return;
            }
            replica.turns.put(order.update(), order.tx());
            catchUp(replica);
        } else {
            replica.committed.remove(order.tx());
        }
        context.send(first, new Ordered(order.tx(), order.block()));
    }

    /** Whether the second replica has not acknowledged the order of an update. */
    boolean isUnacknowledged(TxId tx, int number) {
        return replicas.get(number).unacknowledged.containsKey(tx);
    }

    void ordered(Address second, Ordered answer) {
        Replica replica = replicas.get(answer.block());
        if (second.equals(replica.orderedTo)) {
            replica.unacknowledged.remove(answer.tx());
        }
    }

    /** After a change of view: this server may be the first replica now, and asks anew for missing blocks. */
    void fence() {
        replicas.forEach((number, replica) -> {
            if (replica.orderedTo != null && !context.view().has(replica.orderedTo)) {
                replica.unacknowledged.clear();
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
                    replica.request = context.nextRequest();
                }
                other(number).ifPresent(first -> context.send(first, new CopyBlock(replica.request, number)));
            }
        });
    }

    /** Sends a block to a replacement, when no staged update of an old epoch may still be committed. */
    void copy(Address second, CopyBlock question, Transactions transactions) {
        Replica replica = replicas.get(question.block());
        if (replica.block.isMissing()) {
            context.send(second, new BlockCopy(question.request(), question.block(), 0, new float[0], List.of()));
        } else if (isFirst(question.block()) && !transactions.isBlockStaged(question.block(), context.epoch())) {
            Block block = replica.block;
            List<TxId> included = context.isOnePhase() ? List.of() : List.copyOf(replica.unacknowledged.keySet());
            context.send(
                    second,
                    new BlockCopy(question.request(), question.block(), block.updates(), block.all(), included));
        }
    }

    /**
     * Takes the copy of a missing block; it is lost if the other replica is missing too. Attempts that the copy
     * includes end here, so that nobody commits their updates to the copy.
     */
    void copied(BlockCopy answer, Transactions transactions) {
        Replica replica = replicas.get(answer.block());
        if (replica.request != answer.request() || !replica.block.isMissing()) {
            return;
        }
        if (answer.all().length == 0) {
            replica.lost = true;
        } else if (answer.included().stream().noneMatch(transactions.outcomes()::isUpToDriver)) {
            // Else asks again: if the first replica dies, the driver may abort what the copy includes.
            answer.included().forEach(transactions.outcomes()::commit);
            replica.block.copy(answer.all(), answer.updates());
            replica.committed.keySet().removeAll(answer.included());
            catchUp(replica);
        }
    }

    void tick() {
        if (context.now() - repeated >= context.timing.retry()) {
            repeated = context.now();
            copyMissing();
            replicas.values()
                    .forEach(replica ->
                            replica.unacknowledged.values().forEach(order -> context.send(replica.orderedTo, order)));
        }
    }

    boolean isLost(int number) {
        return replicas.get(number).lost;
    }

    /** Whether all blocks are present or lost. */
    boolean isComplete() {
        return replicas.values().stream().allMatch(replica -> replica.lost || !replica.block.isMissing());
    }

    /** Returns the numbers of the lost blocks. */
    int[] lost() {
        return replicas.entrySet().stream()
                .filter(entry -> entry.getValue().lost)
                .mapToInt(Map.Entry::getKey)
                .toArray();
    }

    /** Whether no update waits for its turn or for an acknowledgement. */
    boolean isQuiet() {
        return replicas.values().stream()
                .allMatch(replica -> List.of(replica.committed, replica.turns, replica.unacknowledged).stream()
                        .allMatch(Map::isEmpty));
    }
}
