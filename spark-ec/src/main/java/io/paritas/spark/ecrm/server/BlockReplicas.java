/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.Order;
import io.paritas.spark.ecrm.protocol.CommitMessage.Ordered;
import io.paritas.spark.ecrm.protocol.ReadMessage.BlockCopy;
import io.paritas.spark.ecrm.protocol.ReadMessage.CopyBlock;
import io.paritas.spark.ecrm.protocol.Repetition;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.table.Block;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.InitialState;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The replicas of blocks on one server (thesis, 5.3.3). All replicas of a block get every gradient; with one phase, the second gets it
 * from the first. They form a chain by how long they have been up. The first replica applies updates as they are committed. Each sends
 * the order of what it applies to the next one, so all stay equal, bit for bit: whoever becomes the first has applied whatever those
 * after it have. A replica acknowledges an update when those after it have done so. A replacement, which is the last of the chain,
 * copies the block from the one before it.
 */
final class BlockReplicas {
    /** A block of this server and its pending updates. */
    private static final class Replica {
        final Block block;
        /** Committed updates that wait for their turn; of the first replica none. */
        final Map<TxId, float[]> committed = new HashMap<>();
        /** The attempt of each position that the replica before has applied. */
        final TreeMap<Long, TxId> turns = new TreeMap<>();
        /** Orders that the next replica has not acknowledged. */
        final Map<TxId, Order> unacknowledged = new LinkedHashMap<>();

        Address orderedTo;
        /** When the oldest unacknowledged order was sent or became the oldest one, or all were last repeated. */
        long ordered;

        long request = -1;
        /** When a copy was last asked for. */
        long asked;

        boolean lost;

        Replica(Block block) {
            this.block = block;
        }

        /** Records that nobody has the block any more. No update waits for it, so the server can be quiet. */
        void lose() {
            lost = true;
            committed.clear();
            turns.clear();
        }
    }

    private final ServerContext context;
    private final Map<Integer, Replica> replicas = new TreeMap<>();

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

    /** @throws IllegalArgumentException if the block is not on this server: who asks has another model, or is none of ours */
    private Replica replica(int number) {
        Replica replica = replicas.get(number);
        if (replica == null) {
            throw new IllegalArgumentException("block must be one of " + replicas.keySet() + ", which server "
                    + context.self.id() + " keeps, got " + number);
        }
        return replica;
    }

    /** @throws IllegalArgumentException as above */
    void check(int number) {
        var unused = replica(number);
    }

    Block block(int number) {
        return replica(number).block;
    }

    boolean isFirst(int number) {
        return context.view().first(context.replicas.servers(number)) == context.self.id();
    }

    /** Returns the replica before this one. */
    private Optional<Address> before(int number) {
        return beside(number, -1);
    }

    /** Returns the replica after this one. */
    private Optional<Address> after(int number) {
        return beside(number, 1);
    }

    private Optional<Address> beside(int number, int step) {
        int[] chain = context.view().byAge(context.replicas.servers(number));
        for (int i = 0; i < chain.length; i++) {
            if (chain[i] == context.self.id() && i + step >= 0 && i + step < chain.length) {
                return Optional.of(context.view().address(chain[i + step]));
            }
        }
        return Optional.empty();
    }

    /** Takes a committed update; the first replica applies it, others when it is its turn. A lost block has no use for it. */
    void committed(TxId tx, int number, float[] gradient) {
        Replica replica = replica(number);
        if (replica.lost) {
            return;
        }
        replica.committed.put(tx, gradient);
        if (isFirst(number)) {
            flush(number, replica);
        } else {
            catchUp(number, replica);
        }
    }

    /** First replica: applies all committed updates. */
    private void flush(int number, Replica replica) {
        if (replica.block.isMissing()) {
            replica.lose();
            return;
        }
        catchUp(number, replica);
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
        after(number).ifPresent(next -> order(replica, next, order));
    }

    private void order(Replica replica, Address next, Order order) {
        replica.orderedTo = next;
        replica.ordered = replica.unacknowledged.isEmpty() ? context.now() : replica.ordered;
        replica.unacknowledged.put(order.tx(), order);
        context.send(next, order);
    }

    /** Applies the updates whose turn it is. */
    private void catchUp(int number, Replica replica) {
        if (!replica.block.isMissing()) {
            while (!replica.turns.isEmpty() && replica.turns.firstKey() <= replica.block.updates()) {
                Map.Entry<Long, TxId> turn = replica.turns.pollFirstEntry();
                if (turn.getKey() == replica.block.updates()) {
                    update(number, replica, turn.getValue());
                } else {
                    replica.committed.remove(turn.getValue());
                }
            }
        }
    }

    /** Takes the position of an update, which thereby is known to be committed. A lost replica gets none: the one before it is lost, too. */
    void order(Address from, Order order, Transactions transactions) {
        Replica replica = replica(order.block());
        if (isFirst(order.block()) || replica.lost) {
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
            catchUp(order.block(), replica);
        } else {
            replica.committed.remove(order.tx());
        }
        boolean last = after(order.block()).isEmpty();
        boolean applied = !replica.block.isMissing() && order.update() < replica.block.updates();
        if (last || (applied && !replica.unacknowledged.containsKey(order.tx()))) {
            context.send(from, new Ordered(order.tx(), order.block()));
        }
    }

    /** Whether the next replica has not acknowledged the order of an update. */
    boolean isUnacknowledged(TxId tx, int number) {
        return replica(number).unacknowledged.containsKey(tx);
    }

    void ordered(Address next, Ordered answer) {
        Replica replica = replica(answer.block());
        if (next.equals(replica.orderedTo) && replica.unacknowledged.containsKey(answer.tx())) {
            boolean oldest = replica.unacknowledged.keySet().iterator().next().equals(answer.tx());
            if (oldest) { // The others are on their way, unless they are lost, too.
                replica.ordered = context.now();
            }
            replica.unacknowledged.remove(answer.tx());
            before(answer.block()).ifPresent(before -> context.send(before, answer));
        }
    }

    /** After a change of view: this server may be the first replica now, and asks anew for missing blocks. */
    void fence() {
        replicas.forEach((number, replica) -> {
            if (replica.orderedTo != null && !context.view().has(replica.orderedTo)) {
                List<Order> orders = List.copyOf(replica.unacknowledged.values());
                replica.unacknowledged.clear();
                after(number).ifPresent(next -> orders.forEach(order -> order(replica, next, order)));
            }
            if (isFirst(number)) {
                flush(number, replica);
            }
            replica.request = -1;
        });
        copyMissing();
    }

    private void copyMissing() {
        replicas.forEach(this::copyIfMissing);
    }

    private void copyIfMissing(int number, Replica replica) {
        if (replica.block.isMissing() && !replica.lost) {
            if (replica.request < 0) {
                replica.request = context.nextRequest();
            }
            replica.asked = context.now();
            before(number).ifPresent(before -> context.send(before, new CopyBlock(replica.request, number)));
        }
    }

    /** Sends a block to a replacement, when no update of an old epoch may still be committed or waits for its turn. */
    void copy(Address next, CopyBlock question, Transactions transactions) {
        int number = question.block();
        Replica replica = replica(number);
        if (replica.lost) {
            context.send(next, new BlockCopy(question.request(), number, 0, new float[0], List.of()));
        } else if (!replica.block.isMissing()
                && after(number).equals(Optional.of(next))
                && !transactions.isBlockStaged(number, context.epoch())
                && replica.committed.keySet().stream().noneMatch(tx -> tx.epoch() < context.epoch())) {
            Block block = replica.block;
            List<Order> included = context.isOnePhase() ? List.of() : List.copyOf(replica.unacknowledged.values());
            context.send(next, new BlockCopy(question.request(), number, block.updates(), block.all(), included));
        }
    }

    /**
     * Takes the copy of a missing block; it is lost if the replica before has lost it. Attempts that the copy includes end here, so that
     * nobody commits their updates to the copy, and the next replica is told of them.
     */
    void copied(BlockCopy answer, Transactions transactions) {
        int number = answer.block();
        Replica replica = replica(number);
        if (replica.request != answer.request() || !replica.block.isMissing()) {
            return;
        }
        List<TxId> included = answer.included().stream().map(Order::tx).toList();
        if (answer.all().length == 0) {
            replica.lose();
        } else if (included.stream().noneMatch(transactions.outcomes()::isUpToDriver)) {
            // Else asks again: if the replica before dies, the driver may abort what the copy includes.
            included.forEach(transactions.outcomes()::commit);
            replica.block.copy(answer.all(), answer.updates());
            replica.committed.keySet().removeAll(included);
            after(number).ifPresent(next -> answer.included().forEach(order -> order(replica, next, order)));
            catchUp(number, replica);
        }
    }

    /** Repeats what is not answered. A copy is asked for at the same pace: the replica before answers when it can. */
    void tick() {
        replicas.forEach((number, replica) -> {
            if (context.now() - replica.asked >= Repetition.first(context.timing, bytes(number))) {
                copyIfMissing(number, replica);
            }
            if (!replica.unacknowledged.isEmpty()
                    && context.now() - replica.ordered >= Repetition.first(context.timing, bytes(replica))) {
                replica.ordered = context.now();
                replica.unacknowledged.values().forEach(order -> context.send(replica.orderedTo, order));
            }
        });
    }

    /** Returns the bytes of a block. */
    private long bytes(int number) {
        BlockSpec spec = context.model.blocks().get(number);
        return (long) Float.BYTES * (spec.size() + spec.optimizer().state(spec.size()));
    }

    /** Returns the bytes of the unacknowledged orders. */
    private static long bytes(Replica replica) {
        return replica.unacknowledged.values().stream()
                .mapToLong(order -> (long) Float.BYTES * order.gradient().length)
                .sum();
    }

    boolean isLost(int number) {
        return replica(number).lost;
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
