/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Order;
import io.paritas.spark.ecrm.protocol.CommitMessage.Ordered;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.Restage;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.MessageVisitor;
import io.paritas.spark.ecrm.protocol.RangeMessage.LockRange;
import io.paritas.spark.ecrm.protocol.RangeMessage.Locked;
import io.paritas.spark.ecrm.protocol.RangeMessage.StepRange;
import io.paritas.spark.ecrm.protocol.RangeMessage.Stepped;
import io.paritas.spark.ecrm.protocol.ReadMessage.BlockCopy;
import io.paritas.spark.ecrm.protocol.ReadMessage.CopyBlock;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullBlocks;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullRows;
import io.paritas.spark.ecrm.protocol.ReadMessage.ReadUnits;
import io.paritas.spark.ecrm.protocol.ReadMessage.Settle;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.protocol.ViewMessage.Hold;
import io.paritas.spark.ecrm.protocol.ViewMessage.Leave;
import io.paritas.spark.ecrm.protocol.ViewMessage.Query;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovered;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovering;
import io.paritas.spark.ecrm.protocol.ViewMessage.Resume;
import io.paritas.spark.ecrm.protocol.ViewMessage.Status;
import io.paritas.spark.ecrm.protocol.ViewMessage.Welcome;
import io.paritas.spark.ecrm.table.Block;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Shard;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A parameter server: takes messages and the time, and passes messages to send to an outbox. It keeps units of every
 * table and replicas of blocks. It starts from a given state; a replacement recovers its state from the other servers
 * while it serves. Tolerates messages that are lost, duplicated or reordered. Not thread-safe.
 */
public final class ShardServer {
    private final ServerContext context;
    private final BlockReplicas replicas;
    private final RangeLocks rangeLocks;
    private final OnDemandRecovery recovery;
    private final RangeRecovery rangeRecovery;
    private final Transactions transactions;
    private final ReadHandler reads;
    private final UpdateHold hold;
    private boolean welcome;
    /** When the recovery was last reported to the driver. */
    private long reported;

    /**
     * Creates a server and loads its state.
     *
     * @param self its address, a member of the view
     * @param initialState the state that it starts from; empty for a replacement
     * @param outbox takes the messages to send
     * @throws java.io.UncheckedIOException if the initial state is a checkpoint that cannot be read
     */
    public ShardServer(
            ModelSpec model,
            Address self,
            View view,
            Timing timing,
            RecoveryPace pace,
            Optional<InitialState> initialState,
            Consumer<Envelope> outbox) {
        if (!view.has(self) || view.servers() != model.servers()) {
            throw new IllegalArgumentException(
                    "view must contain the server and have as many servers as the model, got " + view + " for " + self
                            + " of " + model.servers());
        }
        this.context = new ServerContext(model, self, view, timing, initialState, outbox);
        this.replicas = new BlockReplicas(context, initialState);
        this.rangeLocks = new RangeLocks(context);
        this.recovery = new OnDemandRecovery(context);
        this.rangeRecovery = new RangeRecovery(context, recovery, pace);
        this.transactions = new Transactions(context, replicas, recovery, rangeLocks);
        this.hold = new UpdateHold(context, transactions, this::isQuiet);
        this.reads = new ReadHandler(context, replicas, recovery, rangeLocks);
    }

    /** Begins to recover what is missing. */
    public void start(long now) {
        context.at(now);
        replicas.fence();
        rangeRecovery.fence();
    }

    /** Takes a message. Ignores all but a {@link Fence} if it is meant for a predecessor, or comes from one. */
    public void receive(Envelope envelope, long now) {
        context.at(now);
        envelope.message().accept(new ViewReceiver(envelope.from()));
        if (envelope.to().equals(context.self) && !isReplaced(envelope.from())) {
            envelope.message().accept(new Receiver(envelope));
            proceed();
        }
    }

    private boolean isReplaced(Address sender) {
        return sender.isServer() && !context.view().has(sender);
    }

    /** Takes new views, from any sender. */
    private final class ViewReceiver implements MessageVisitor {
        private final Address from;

        ViewReceiver(Address from) {
            this.from = from;
        }

        @Override
        public void fence(Fence message) {
            if (message.view().epoch() > context.epoch()) {
                enter(message.view());
            }
            if (from.equals(Address.DRIVER)) {
                context.send(Address.DRIVER, new Fenced(context.epoch()));
            }
        }
    }

    /** Hands each message to the part that it is for. */
    private final class Receiver implements MessageVisitor {
        private final Address from;
        private final int epoch;

        Receiver(Envelope envelope) {
            this.from = envelope.from();
            this.epoch = envelope.epoch();
        }

        /** Whether the sender has the same view; sends it the view if it is behind. */
        private boolean agrees() {
            if (epoch < context.epoch()) {
                context.send(from, new Fence(context.view()));
            }
            return epoch == context.epoch();
        }

        @Override
        public void pullRows(PullRows request) {
            if (agrees()) {
                reads.pullRows(from, request);
            }
        }

        @Override
        public void pullBlocks(PullBlocks request) {
            if (agrees()) {
                reads.pullBlocks(from, request);
            }
        }

        @Override
        public void readUnits(ReadUnits request) {
            if (agrees()) {
                reads.readUnits(from, request, transactions);
            }
        }

        @Override
        public void copyBlock(CopyBlock request) {
            if (agrees()) {
                replicas.copy(from, request, transactions);
            }
        }

        @Override
        public void settle(Settle request) {
            if (agrees()) {
                transactions.settle(from, request);
            }
        }

        @Override
        public void leave(Leave message) {
            transactions.leave(from, message.next());
        }

        @Override
        public void units(Units answer) {
            recovery.units(from, answer);
            rangeRecovery.units(from, answer);
        }

        @Override
        public void blockCopy(BlockCopy answer) {
            replicas.copied(answer, transactions);
        }

        @Override
        public void stage(Stage request) {
            transactions.stage(from, request);
        }

        @Override
        public void restage(Restage request) {
            transactions.restage(from, request);
        }

        @Override
        public void stageParity(StageParity request) {
            transactions.stageParity(from, request);
        }

        @Override
        public void parityStaged(ParityStaged answer) {
            transactions.parityStaged(from, answer);
        }

        @Override
        public void refused(Refused answer) {
            transactions.parityRefused(from, answer.tx());
        }

        @Override
        public void finish(Finish request) {
            transactions.outcomes().finish(from, request);
        }

        @Override
        public void order(Order request) {
            replicas.order(from, request, transactions);
        }

        @Override
        public void ordered(Ordered answer) {
            replicas.ordered(from, answer);
        }

        @Override
        public void query(Query request) {
            context.send(
                    Address.DRIVER,
                    new Status(request.tx(), transactions.outcomes().query(request.tx())));
        }

        @Override
        public void hold(Hold request) {
            if (epoch == context.epoch()) {
                hold.hold(request);
            }
        }

        @Override
        public void resume(Resume request) {
            if (epoch == context.epoch()) {
                hold.resume(request.number());
            }
        }

        @Override
        public void welcome(Welcome answer) {
            welcome = true;
        }

        @Override
        public void lockRange(LockRange request) {
            if (agrees()) {
                rangeLocks.lock(from, request, transactions);
            }
        }

        @Override
        public void stepRange(StepRange request) {
            rangeLocks.step(from, request);
        }

        @Override
        public void locked(Locked answer) {
            rangeRecovery.locked(from, answer.lock());
        }

        @Override
        public void stepped(Stepped answer) {
            rangeRecovery.stepped(from, answer);
        }
    }

    /** Repeats requests whose answer is overdue. To be called a few times within {@link Timing#retry}. */
    public void tick(long now) {
        context.at(now);
        transactions.tick();
        replicas.tick();
        recovery.tick();
        rangeRecovery.tick();
        proceed();
        if (!welcome && now - reported >= context.timing.retry()) {
            reported = now;
            context.send(
                    Address.DRIVER,
                    isRecovered()
                            ? new Recovered(lostUnits(), replicas.lost())
                            : new Recovering(rangeRecovery.left(), rangeRecovery.units(), lost()));
        }
    }

    /** Lets every part continue what a message or the time may have made possible. */
    private void proceed() {
        transactions.proceed();
        reads.proceed(transactions);
        recovery.proceed();
        rangeRecovery.proceed();
        rangeLocks.proceed(transactions);
        hold.proceed();
    }

    /** Begins a new epoch. */
    private void enter(View view) {
        context.see(view);
        hold.fence();
        transactions.fence();
        rangeLocks.fence();
        replicas.fence();
        reads.fence();
        recovery.fence();
        rangeRecovery.fence();
        proceed();
    }

    /** Whether the server has all units and blocks that it should keep, except lost ones. */
    public boolean isRecovered() {
        return rangeRecovery.isDone() && replicas.isComplete();
    }

    /** The newest view that the server knows. */
    public View view() {
        return context.view();
    }

    /** The stripes of a table whose unit on this server can no longer be decoded, ascending. */
    public long[] lostStripes(int table) {
        return context.lost.get(table).stripes();
    }

    private long lostUnits() {
        return context.lost.stream().mapToLong(LostUnits::count).sum();
    }

    private long lost() {
        return replicas.lost().length + lostUnits();
    }

    /** The server's counters as of now. */
    public ServerCounters counters() {
        return context.shards.stream()
                .map(shard -> new ServerCounters(
                        shard.updatedRows(), shard.parityBytes(), shard.recovered(), shard.missing()))
                .reduce(ServerCounters.NONE, ServerCounters::plus);
    }

    /** Whether a unit or block of this server can no longer be recovered. */
    public boolean hasLost() {
        return lost() > 0;
    }

    /** The server's part of a table; callers only read it. */
    public Shard shard(int table) {
        return context.shards.get(table);
    }

    /**
     * A block that {@link io.paritas.spark.ecrm.placement.ReplicaPlacement} assigns to this server; callers only read
     * it.
     */
    public Block block(int number) {
        return replicas.block(number);
    }

    /**
     * Whether the server is on hold: its state does not change, and is consistent with that of all other servers on
     * hold.
     */
    public boolean isHeld() {
        return hold.isQuiet();
    }

    /** Whether nothing is staged, locked or in progress. */
    public boolean isQuiet() {
        return transactions.isQuiet() && rangeLocks.isQuiet() && replicas.isQuiet();
    }
}
