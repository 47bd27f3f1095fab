/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.CommitMessage.Delayed;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.CommitMessage.Opened;
import io.paritas.spark.ecrm.protocol.CommitMessage.Outdated;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.Staged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Wanted;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.ExpectedRow;
import io.paritas.spark.ecrm.protocol.MessageVisitor;
import io.paritas.spark.ecrm.protocol.ReadMessage.Lost;
import io.paritas.spark.ecrm.protocol.ReadMessage.Parameters;
import io.paritas.spark.ecrm.protocol.ReadMessage.Settled;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.protocol.ViewMessage.Leave;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Parity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * A worker: pulls parameters from servers and pushes gradients. Takes messages and the time, and passes messages to
 * send to an outbox. Any number of pulls may run at once; pushes run one after another. Not thread-safe.
 */
public final class Worker {
    /** Greatest gradient where parity is a sum: with it, no optimizer makes a number that is not finite. */
    private static final float GREATEST = 0x1p40f;

    /** Most bytes of the rows of a push on one server, with their state: it has them in its memory several times. */
    public static final long MOST_BYTES = 256 << 20;

    private final WorkerContext context;
    private final List<Pull> pulls = new ArrayList<>();
    private final List<Settlement> settlements = new ArrayList<>();
    private Push push;
    /** A rollback that happened while no operation was running. */
    private Optional<RolledBackException> pending = Optional.empty();

    /** When the driver was last asked for a newer view. */
    private long asked;

    /** Takes new views, from any sender. */
    private final MessageVisitor views = new MessageVisitor() {
        @Override
        public void fence(Fence message) {
            forgetDone();
            enter(message.view());
            forgetDone();
        }
    };

    /**
     * Creates a worker.
     *
     * @param id a number that no other worker has or had
     * @param view the newest view that is known
     * @param outbox takes the messages to send
     */
    public Worker(ModelSpec model, int id, View view, Timing timing, Consumer<Envelope> outbox) {
        this(model, id, 0, view, timing, outbox);
    }

    /**
     * Creates a worker that may follow others with the same id.
     *
     * @param first number of its first request, greater than all of those: late answers to them are not for this one, and servers do
     *     not take its attempts for theirs
     */
    public Worker(ModelSpec model, int id, long first, View view, Timing timing, Consumer<Envelope> outbox) {
        this.context = new WorkerContext(model, id, first, view, timing, outbox);
    }

    /**
     * Begins to read rows of a table.
     *
     * @throws RolledBackException if the servers went back to a checkpoint since the last operation
     */
    public Pull pullRows(int table, long[] rows, long now) {
        checkRows(table, rows);
        begin(now);
        Pull pull = Pull.rows(context, table, rows.clone());
        pulls.add(pull);
        return pull;
    }

    /**
     * Begins to read blocks.
     *
     * @throws RolledBackException if the servers went back to a checkpoint since the last operation
     */
    public Pull pullBlocks(int[] blocks, long now) {
        for (int block : blocks) {
            checkBlock(block);
        }
        begin(now);
        Pull pull = Pull.blocks(context, blocks.clone());
        pulls.add(pull);
        return pull;
    }

    /**
     * Begins to commit the updates of an iteration. The push before must be done.
     *
     * @param expected rows that must still be as they were read, if anything is to be committed
     * @param age time in milliseconds by a clock that all workers share, unlike that of {@code now}: of two pushes of the
     *     same row, the older one goes first
     * @throws RolledBackException if the servers went back to a checkpoint since the last operation
     */
    public Push push(
            List<RowGradients> rows, List<BlockGradient> blocks, List<ExpectedRow> expected, long age, long now) {
        if (push != null && !push.isDone()) {
            throw new IllegalStateException("push must be done before the next one, got another push: wait for it");
        }
        Map<Integer, Set<Long>> seen = new HashMap<>();
        rows.forEach(part -> checkGradients(part, seen.computeIfAbsent(part.table(), none -> new HashSet<>())));
        checkBytes(rows);
        Set<Integer> seenBlocks = new HashSet<>();
        for (BlockGradient gradient : blocks) {
            checkBlock(gradient.block());
            if (!seenBlocks.add(gradient.block())) {
                throw new IllegalArgumentException("push must have one gradient for each block, got two for block "
                        + gradient.block() + ": add them up");
            }
            int size = context.model.blocks().get(gradient.block()).size();
            if (gradient.gradient().length != size) {
                throw new IllegalArgumentException("gradient of block " + gradient.block() + " must have " + size
                        + " numbers, got " + gradient.gradient().length);
            }
        }
        expected.forEach(row -> checkExpected(row, rows));
        begin(now);
        push = new Push(context, List.copyOf(rows), List.copyOf(blocks), List.copyOf(expected), age);
        return push;
    }

    /**
     * Begins to wait until all servers have ended the iterations of others that they have begun.
     *
     * @throws RolledBackException if the servers went back to a checkpoint since the last operation
     */
    public Settlement settle(long now) {
        begin(now);
        Settlement settlement = new Settlement(context);
        settlements.add(settlement);
        return settlement;
    }

    private void checkBytes(List<RowGradients> rows) {
        long[] bytes = new long[context.stripes.servers()];
        for (RowGradients part : rows) {
            long each = (long) Float.BYTES
                    * context.model.tables().get(part.table()).words();
            for (long row : part.rows()) {
                bytes[context.stripes.owner(row)] += each;
            }
        }
        long most = LongStream.of(bytes).max().orElse(0);
        if (most > MOST_BYTES) {
            throw new IllegalArgumentException("rows of a push must have at most " + MOST_BYTES
                    + " bytes on a server, with their optimizer's state, got " + most + ": push them in parts");
        }
    }

    private void checkExpected(ExpectedRow row, List<RowGradients> updated) {
        if (context.model.redundancy().isOnePhase()) {
            throw new IllegalArgumentException("commit must have two phases if a push expects rows, got one phase:"
                    + " some servers would update theirs before another one refuses");
        }
        boolean among = updated.stream()
                .anyMatch(gradients -> gradients.table() == row.table()
                        && Arrays.stream(gradients.rows()).anyMatch(one -> one == row.row()));
        if (!among) {
            throw new IllegalArgumentException("an expected row must be among those that the push updates, got row "
                    + row.row() + " of table " + row.table() + ": add a gradient of zeros");
        }
        int width = context.model.tables().get(row.table()).width();
        if (row.parameters().length != width) {
            throw new IllegalArgumentException("an expected row of table " + row.table() + " must have " + width
                    + " parameters, got " + row.parameters().length);
        }
    }

    private void begin(long now) {
        context.at(now);
        Optional<RolledBackException> why = pending;
        pending = Optional.empty();
        if (why.isPresent()) {
            throw why.get();
        }
    }

    /** @param seen the rows of the table in the parts before */
    private void checkGradients(RowGradients gradients, Set<Long> seen) {
        checkRows(gradients.table(), gradients.rows());
        for (long row : gradients.rows()) {
            if (!seen.add(row)) {
                throw new IllegalArgumentException("push must have one gradient for each row, got two for row " + row
                        + " of table " + gradients.table() + ": add them up");
            }
        }
        int width = context.model.tables().get(gradients.table()).width();
        if (gradients.gradients().length != (long) width * gradients.rows().length) {
            throw new IllegalArgumentException("gradients of " + gradients.rows().length + " rows of " + width
                    + " must have as many numbers in all, got " + gradients.gradients().length);
        }
        if (context.model.redundancy().parity() == Parity.SUM) {
            checkSizes(gradients, width);
        }
    }

    /** Refuses gradients that would spoil the other rows of a stripe, which are decoded from its sum. */
    private static void checkSizes(RowGradients gradients, int width) {
        for (int i = 0; i < gradients.gradients().length; i++) {
            float gradient = gradients.gradients()[i];
            // Also false for a NaN.
            boolean small = Math.abs(gradient) <= GREATEST;
            if (!small) {
                throw new IllegalArgumentException("gradients must be from -2^40 to 2^40 if the parity is a sum, got "
                        + gradient + " for row " + gradients.rows()[i / width] + " of table " + gradients.table()
                        + ": choose Parity.XOR");
            }
        }
    }

    private void checkRows(int table, long[] rows) {
        int tables = context.model.tables().size();
        if (table < 0 || table >= tables) {
            throw new IllegalArgumentException("table must be 0 to " + (tables - 1) + ", got " + table);
        }
        long count = context.model.tables().get(table).rows();
        for (long row : rows) {
            if (row < 0 || row >= count) {
                throw new IllegalArgumentException(
                        "row of table " + table + " must be 0 to " + (count - 1) + ", got " + row);
            }
        }
    }

    private void checkBlock(int block) {
        int count = context.model.blocks().size();
        if (block < 0 || block >= count) {
            throw new IllegalArgumentException("block must be 0 to " + (count - 1) + ", got " + block);
        }
    }

    /** The newest view that the worker knows. */
    public View view() {
        return context.view();
    }

    /** Takes a message. Ignores all but a {@link Fence} if it comes from a server of an older view. */
    public void receive(Envelope envelope, long now) {
        context.at(now);
        envelope.message().accept(views);
        if (context.view().has(envelope.from())) {
            envelope.message().accept(new Receiver(envelope.from()));
            forgetDone();
        }
    }

    /** What is done hears of nothing more. */
    private void forgetDone() {
        pulls.removeIf(Pull::isDone);
        settlements.removeIf(Settlement::isDone);
    }

    /** Hands each answer to the operations that may wait for it. */
    private final class Receiver implements MessageVisitor {
        private final Address from;

        Receiver(Address from) {
            this.from = from;
        }

        @Override
        public void parameters(Parameters answer) {
            pulls.forEach(pull -> pull.parameters(answer));
        }

        @Override
        public void units(Units answer) {
            pulls.forEach(pull -> pull.units(from, answer));
        }

        @Override
        public void settled(Settled answer) {
            settlements.forEach(settlement -> settlement.settled(from, answer.request()));
        }

        @Override
        public void lost(Lost answer) {
            pulls.forEach(pull -> pull.lost(answer));
            if (push != null) {
                push.lost(answer.request(), new DataLossException(answer.table(), answer.stripes()));
            }
        }

        @Override
        public void staged(Staged answer) {
            if (push != null) {
                push.staged(from, answer.tx());
            }
        }

        @Override
        public void refused(Refused answer) {
            if (push != null) {
                push.refused(answer.tx());
            }
        }

        @Override
        public void wanted(Wanted answer) {
            if (push != null) {
                push.wanted(from, answer.tx());
            }
        }

        @Override
        public void delayed(Delayed answer) {
            if (push != null) {
                push.delayed(from, answer.tx());
            }
        }

        @Override
        public void opened(Opened answer) {
            if (push != null) {
                push.opened(from, answer.tx());
            }
        }

        @Override
        public void outdated(Outdated answer) {
            if (push != null) {
                push.outdated(answer.tx(), new OutdatedRowException(answer.table(), answer.row()));
            }
        }

        @Override
        public void finished(Finished answer) {
            if (push != null) {
                push.finished(from, answer.tx(), answer.outcome());
            }
        }
    }

    /**
     * Begins a new epoch: operations go on with the servers of the new view, or fail if these went back to a
     * checkpoint.
     */
    private void enter(View view) {
        if (view.epoch() > context.view().epoch()) {
            boolean back = view.rollbacks() > context.view().rollbacks();
            context.see(view);
            if (back) {
                RolledBackException why = new RolledBackException(view.rollbacks());
                if (!waits()) {
                    pending = Optional.of(why);
                }
                pulls.forEach(pull -> pull.fail(why));
                settlements.forEach(settlement -> settlement.fail(why));
                if (push != null) {
                    push.fail(why);
                }
            } else {
                pulls.forEach(Pull::ask);
                settlements.forEach(Settlement::ask);
                if (push != null) {
                    push.fence();
                }
            }
        }
    }

    /**
     * Repeats requests whose answer is overdue, and asks the driver for a newer view meanwhile. To be called a few
     * times within {@link Timing#retry}.
     */
    public void tick(long now) {
        context.at(now);
        pulls.forEach(Pull::tick);
        settlements.forEach(Settlement::tick);
        if (push != null) {
            push.tick();
        }
        if (waits() && now - asked >= context.timing.retry()) {
            asked = now;
            context.send(Address.DRIVER, new Fenced(context.view().epoch()));
        }
    }

    /**
     * Tells servers that this worker sends nothing more, so that they forget it; with two phases, a push that is being staged is aborted.
     * Not if a push is being committed: the servers that know its outcome have to remember it for the others. To be called once, at the end.
     */
    public void leave() {
        if (push != null && push.abandon()) {
            Leave message = new Leave(context.nextNumber());
            context.asked().forEach(server -> context.send(server, message));
        }
    }

    /** Returns when the next attempt of a push begins, which {@link #tick} does; the greatest time if none is due. */
    public long due() {
        return push == null ? Long.MAX_VALUE : push.due();
    }

    /** Whether an operation is running; some are done as they begin. */
    private boolean waits() {
        return !pulls.stream().allMatch(Pull::isDone)
                || !settlements.stream().allMatch(Settlement::isDone)
                || (push != null && !push.isDone());
    }
}
