/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.util.List;

/**
 * The commit of an iteration (thesis, 5.3.5). With two phases, its worker coordinates: servers stage the updates, then
 * all of them commit or abort. With one phase, servers apply updates as they arrive; there are only {@link Stage},
 * answered by {@link Finished}, {@link StageParity}, answered by {@link ParityStaged}, and {@link Order}.
 */
public sealed interface CommitMessage extends Message {
    /** The attempt that the message is part of. */
    TxId tx();

    /**
     * Worker to owners and replicas: stage these updates.
     *
     * @param age time in milliseconds when the iteration began, by a clock that all workers share: of two iterations
     *     that update the same row, the older one goes first
     * @param rows gradients of rows that the receiver owns
     * @param blocks gradients of blocks that the receiver keeps
     * @param expected what some of the rows must be before the update; none with one phase
     * @param servers numbers of all servers that stage a part of the attempt
     */
    record Stage(
            TxId tx,
            long age,
            List<RowGradients> rows,
            List<BlockGradient> blocks,
            List<ExpectedRow> expected,
            int[] servers)
            implements CommitMessage {
        public Stage {
            rows = List.copyOf(rows);
            blocks = List.copyOf(blocks);
            expected = List.copyOf(expected);
        }

        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.int8(age);
            to.list(rows, RowGradients::write);
            to.list(blocks, BlockGradient::write);
            to.list(expected, ExpectedRow::write);
            to.ints(servers);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.stage(this);
        }

        /** The same updates in another attempt. */
        public Stage in(TxId attempt) {
            return new Stage(attempt, age, rows, blocks, expected, servers);
        }

        @Override
        public long bytes() {
            long bytes = 0;
            for (RowGradients part : rows) {
                bytes += (long) Long.BYTES * part.rows().length + (long) Float.BYTES * part.gradients().length;
            }
            for (BlockGradient block : blocks) {
                bytes += (long) Float.BYTES * block.gradient().length;
            }
            for (ExpectedRow row : expected) {
                bytes += Long.BYTES + (long) Float.BYTES * row.parameters().length;
            }
            return bytes;
        }

        static Stage read(WireReader from) {
            return new Stage(
                    TxId.read(from),
                    from.int8(),
                    from.list(RowGradients::read),
                    from.list(BlockGradient::read),
                    from.list(ExpectedRow::read),
                    from.ints());
        }
    }

    /**
     * Worker to owners and replicas: stage the updates of a {@link Stage} that the receiver has had, of this attempt or
     * of an earlier one that was refused. Answered like {@link Stage}, or by {@link Wanted}.
     *
     * @param since sequence number of the first attempt with these updates
     */
    record Restage(TxId tx, long since) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.int8(since);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.restage(this);
        }

        static Restage read(WireReader from) {
            return new Restage(TxId.read(from), from.int8());
        }
    }

    /** Answer to {@link Restage}, or unasked where a hold waits for updates: the server does not have them; send them. */
    record Wanted(TxId tx) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.wanted(this);
        }

        static Wanted read(WireReader from) {
            return new Wanted(TxId.read(from));
        }
    }

    /** Answer to {@link Stage}: staged on this server and on the parity servers of its rows. */
    record Staged(TxId tx) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.staged(this);
        }

        static Staged read(WireReader from) {
            return new Staged(TxId.read(from));
        }
    }

    /**
     * Owner to parity server: stage these differences of rows.
     *
     * @param round how often the owner has computed them anew, because an update that they built on was aborted or an
     *     older one came before them: they replace those of the rounds before
     */
    record StageParity(TxId tx, int round, List<RowDifferences> differences) implements CommitMessage {
        public StageParity {
            differences = List.copyOf(differences);
        }

        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.int4(round);
            to.list(differences, RowDifferences::write);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.stageParity(this);
        }

        @Override
        public long bytes() {
            return differences.stream().mapToLong(RowDifferences::bytes).sum();
        }

        static StageParity read(WireReader from) {
            return new StageParity(TxId.read(from), from.int4(), from.list(RowDifferences::read));
        }
    }

    /** Answer to {@link StageParity} of a round: staged; with one phase, applied. */
    record ParityStaged(TxId tx, int round) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.int4(round);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.parityStaged(this);
        }

        static ParityStaged read(WireReader from) {
            return new ParityStaged(TxId.read(from), from.int4());
        }
    }

    /** Refusal of {@link Stage} or {@link StageParity}: the receiver must abort the attempt. */
    record Refused(TxId tx) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.refused(this);
        }

        static Refused read(WireReader from) {
            return new Refused(TxId.read(from));
        }
    }

    /**
     * Refusal of {@link Stage} because updates are on hold or a range is closed: the worker must abort the attempt, and
     * is told by {@link Opened} when to make the next one. With one phase there is none: the updates wait at the server.
     */
    record Delayed(TxId tx) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.delayed(this);
        }

        static Delayed read(WireReader from) {
            return new Delayed(TxId.read(from));
        }
    }

    /** Server to worker: what the attempt was {@link Delayed} for is over. */
    record Opened(TxId tx) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.opened(this);
        }

        static Opened read(WireReader from) {
            return new Opened(TxId.read(from));
        }
    }

    /** Refusal of {@link Stage} for good: a row is not what the worker expects. */
    record Outdated(TxId tx, int table, long row) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.int4(table);
            to.int8(row);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.outdated(this);
        }

        static Outdated read(WireReader from) {
            return new Outdated(TxId.read(from), from.int4(), from.int8());
        }
    }

    /** Worker, or the driver if the worker is dead, to every server of the attempt: commit or abort what is staged. */
    record Finish(TxId tx, AttemptOutcome outcome) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.int1(outcome.ordinal());
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.finish(this);
        }

        static Finish read(WireReader from) {
            return new Finish(TxId.read(from), from.constant(AttemptOutcome.values()));
        }
    }

    /** Answer to {@link Finish}; with one phase, to {@link Stage}: how the attempt ended on this server. */
    record Finished(TxId tx, AttemptOutcome outcome) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.int1(outcome.ordinal());
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.finished(this);
        }

        static Finished read(WireReader from) {
            return new Finished(TxId.read(from), from.constant(AttemptOutcome.values()));
        }
    }

    /**
     * Replica of a block to the next one: the position of an update.
     *
     * @param update position among the updates of the block, from 0
     * @param gradient of the block with one phase; empty with two, because the worker stages it on all replicas
     */
    record Order(TxId tx, int block, long update, float[] gradient) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.int4(block);
            to.int8(update);
            to.floats(gradient);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.order(this);
        }

        @Override
        public long bytes() {
            return (long) Float.BYTES * gradient.length;
        }

        static Order read(WireReader from) {
            return new Order(TxId.read(from), from.int4(), from.int8(), from.floats());
        }
    }

    /** Answer to {@link Order}: this replica and those after it know the position. */
    record Ordered(TxId tx, int block) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.int4(block);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.ordered(this);
        }

        static Ordered read(WireReader from) {
            return new Ordered(TxId.read(from), from.int4());
        }
    }
}
