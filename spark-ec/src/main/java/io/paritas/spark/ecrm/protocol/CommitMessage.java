/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.util.List;

/**
 * Two phases of an iteration, coordinated by its worker (thesis 5.3.5). In one phase there are {@link Stage}, {@link StageParity} and
 * their answers, {@link Finished} and {@link ParityStaged}, and what is staged is applied.
 */
public sealed interface CommitMessage extends Message {
    TxId tx();

    /**
     * Worker to server: updates to be staged.
     *
     * @param age when the iteration began: of two that want the same row, the older one waits, and the younger one is refused
     * @param rows that the receiver owns
     * @param blocks that the receiver has
     */
    record Stage(TxId tx, long age, List<RowGradients> rows, List<BlockGradient> blocks) implements CommitMessage {
        public Stage {
            rows = List.copyOf(rows);
            blocks = List.copyOf(blocks);
        }

        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.int8(age);
            to.list(rows, RowGradients::write);
            to.list(blocks, BlockGradient::write);
        }

        static Stage read(WireReader from) {
            return new Stage(
                    TxId.read(from), from.int8(), from.list(RowGradients::read), from.list(BlockGradient::read));
        }
    }

    /** Server to worker: staged here, and at the parity. */
    record Staged(TxId tx) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
        }

        static Staged read(WireReader from) {
            return new Staged(TxId.read(from));
        }
    }

    /** Owner to parity server: differences to be staged. */
    record StageParity(TxId tx, List<Difference> differences) implements CommitMessage {
        public StageParity {
            differences = List.copyOf(differences);
        }

        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.list(differences, Difference::write);
        }

        static StageParity read(WireReader from) {
            return new StageParity(TxId.read(from), from.list(Difference::read));
        }
    }

    /** Parity server to owner. */
    record ParityStaged(TxId tx) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
        }

        static ParityStaged read(WireReader from) {
            return new ParityStaged(TxId.read(from));
        }
    }

    /** Server to worker, parity server to owner: not staged, and not going to be. */
    record Refused(TxId tx) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
        }

        static Refused read(WireReader from) {
            return new Refused(TxId.read(from));
        }
    }

    /** Worker, or driver in its place, to all that may have staged something. */
    record Finish(TxId tx, Outcome outcome) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.one(outcome.ordinal());
        }

        static Finish read(WireReader from) {
            return new Finish(TxId.read(from), from.constant(Outcome.values()));
        }
    }

    /** The answer: how it ended there. */
    record Finished(TxId tx, Outcome outcome) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.one(outcome.ordinal());
        }

        static Finished read(WireReader from) {
            return new Finished(TxId.read(from), from.constant(Outcome.values()));
        }
    }

    /**
     * Of two servers with the same block, the first to the second: which update of it this was.
     *
     * @param update counted from 0
     * @param gradient in one phase; empty in two, because the worker sends it to both
     */
    record Order(TxId tx, int block, long update, float[] gradient) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.int4(block);
            to.int8(update);
            to.floats(gradient);
        }

        static Order read(WireReader from) {
            return new Order(TxId.read(from), from.int4(), from.int8(), from.floats());
        }
    }

    /** The answer. */
    record Ordered(TxId tx, int block) implements CommitMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.int4(block);
        }

        static Ordered read(WireReader from) {
            return new Ordered(TxId.read(from), from.int4());
        }
    }
}
