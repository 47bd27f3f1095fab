/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.util.List;

/**
 * Membership: which tasks are servers, how attempts of dead workers end, and pauses for checkpoints. One side is always
 * the driver, except that servers pass a {@link Fence} on.
 */
public sealed interface ViewMessage extends Message {
    /**
     * Driver to all, and a server to a sender with an older view: the new view. The receiver stages nothing of older
     * epochs any more.
     */
    record Fence(View view) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            view.write(to);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.fence(this);
        }

        static Fence read(WireReader from) {
            return new Fence(View.read(from));
        }
    }

    /**
     * Answer to {@link Fence}, to the driver. Servers also send it as a heartbeat, and workers to ask for a newer view.
     *
     * @param epoch of the sender's view; 0 if it has none yet, and of a worker that connects: it asks several times
     */
    record Fenced(int epoch) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int4(epoch);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.fenced(this);
        }

        static Fenced read(WireReader from) {
            return new Fenced(from.int4());
        }
    }

    /**
     * Driver to a worker, as answer to each {@link Fenced} of epoch 0: the view, and the time.
     *
     * @param time in milliseconds by the driver's clock, when the message was sent
     */
    record Connected(View view, long time) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            view.write(to);
            to.int8(time);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.connected(this);
        }

        static Connected read(WireReader from) {
            return new Connected(View.read(from), from.int8());
        }
    }

    /** Server to driver: the worker has not finished this attempt within the lease. */
    record Orphaned(TxId tx) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.orphaned(this);
        }

        static Orphaned read(WireReader from) {
            return new Orphaned(TxId.read(from));
        }
    }

    /** Driver to all servers: how did this attempt end? From now on only the driver can commit it. */
    record Query(TxId tx) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.query(this);
        }

        static Query read(WireReader from) {
            return new Query(TxId.read(from));
        }
    }

    /** What a server knows of an attempt. */
    enum Knowledge {
        COMMITTED,
        /** Aborted, unknown, or staged and now waiting for the driver. */
        NOT_COMMITTED
    }

    /** Answer to {@link Query}. */
    record Status(TxId tx, Knowledge knowledge) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.int1(knowledge.ordinal());
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.status(this);
        }

        static Status read(WireReader from) {
            return new Status(TxId.read(from), from.constant(Knowledge.values()));
        }
    }

    /**
     * Driver to all servers: begin no attempt, and answer when no update is in progress.
     *
     * @param number of the request; the driver counts Hold and Resume requests upwards
     * @param exempt attempts that the receiver begins nevertheless, and waits for, because another server has applied
     *     its part of them; none with two phases
     */
    record Hold(long number, List<TxId> exempt) implements ViewMessage {
        public Hold {
            exempt = List.copyOf(exempt);
        }

        @Override
        public void write(WireWriter to) {
            to.int8(number);
            to.list(exempt, TxId::write);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.hold(this);
        }

        static Hold read(WireReader from) {
            return new Hold(from.int8(), from.list(TxId::read));
        }
    }

    /**
     * Answer to {@link Hold} and {@link Resume}.
     *
     * @param applied with one phase, the last attempt of each worker if the sender is not the only server that has a
     *     part in it; else none
     */
    record Held(long number, List<AppliedAttempt> applied) implements ViewMessage {
        public Held {
            applied = List.copyOf(applied);
        }

        @Override
        public void write(WireWriter to) {
            to.int8(number);
            to.list(applied, AppliedAttempt::write);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.held(this);
        }

        static Held read(WireReader from) {
            return new Held(from.int8(), from.list(AppliedAttempt::read));
        }
    }

    /**
     * Worker to the servers that it has asked: it sends nothing more, and all of them know how its last attempt has ended.
     *
     * @param next greater than the sequence numbers of all its attempts; those of a worker that follows it are not less
     */
    record Leave(long next) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(next);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.leave(this);
        }

        static Leave read(WireReader from) {
            return new Leave(from.int8());
        }
    }

    /** Driver to all servers: begin attempts again. */
    record Resume(long number) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(number);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.resume(this);
        }

        static Resume read(WireReader from) {
            return new Resume(from.int8());
        }
    }

    /**
     * Driver to a server on hold: write your file of a checkpoint.
     *
     * @param number of the checkpoint
     */
    record Save(long number, String folder) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(number);
            to.string(folder);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.save(this);
        }

        static Save read(WireReader from) {
            return new Save(from.int8(), from.string());
        }
    }

    /**
     * Answer to {@link Save}.
     *
     * @param failure why the file was not written; empty if it was
     */
    record Saved(long number, String failure) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(number);
            to.string(failure);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.saved(this);
        }

        static Saved read(WireReader from) {
            return new Saved(from.int8(), from.string());
        }
    }

    /** Appointed candidate to the driver: it cannot read the checkpoint that it should start from, or lacks memory. */
    record Failed(String why) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.string(why);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.failed(this);
        }

        static Failed read(WireReader from) {
            return new Failed(from.string());
        }
    }

    /**
     * Server to driver, repeated until it has recovered: progress of its recovery.
     *
     * @param left units still to be recovered
     * @param units that were missing at first
     * @param lost units and blocks that can no longer be recovered, so far
     */
    record Recovering(long left, long units, long lost) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(left);
            to.int8(units);
            to.int8(lost);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.recovering(this);
        }

        static Recovering read(WireReader from) {
            return new Recovering(from.int8(), from.int8(), from.int8());
        }

        /** The recovered share, from 0 to 1. */
        public double share() {
            return units == 0 ? 1 : (units - left) / (double) units;
        }
    }

    /**
     * Server to driver, repeated until {@link Welcome}: recovery is complete.
     *
     * @param units how many could not be recovered
     * @param blocks numbers of the blocks that could not be recovered
     */
    record Recovered(long units, int[] blocks) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(units);
            to.ints(blocks);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.recovered(this);
        }

        /** Whether something could not be recovered. */
        public boolean hasLost() {
            return units > 0 || blocks.length > 0;
        }

        static Recovered read(WireReader from) {
            return new Recovered(from.int8(), from.ints());
        }
    }

    /** Answer to {@link Recovered}. */
    record Welcome() implements ViewMessage {
        @Override
        public void write(WireWriter to) {}

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.welcome(this);
        }

        static Welcome read(WireReader from) {
            return new Welcome();
        }
    }

    /**
     * Candidate to driver, repeated until it is appointed.
     *
     * @param task number of the candidate's task
     * @param endpoint host and port of the candidate
     * @param executor id of the executor that it runs in
     */
    record Offer(int task, String endpoint, String executor) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int4(task);
            to.string(endpoint);
            to.string(executor);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.offer(this);
        }

        static Offer read(WireReader from) {
            return new Offer(from.int4(), from.string(), from.string());
        }
    }

    /** The state that a server starts from. */
    enum Start {
        /** The initial parameters. */
        INITIAL,
        /** The parameters in a checkpoint. */
        CHECKPOINT,
        /** Nothing: the server recovers its units and blocks from the others. */
        RECOVER
    }

    /**
     * Answer to {@link Offer}, when a server is needed: the candidate is a server from now on.
     *
     * @param server number of the server
     * @param view the view in which it is a member
     * @param start the state that it starts from
     * @param folder of the checkpoint; empty if it starts without one
     * @param checkpoint number of the checkpoint
     */
    record Appoint(int server, View view, Start start, String folder, long checkpoint) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int4(server);
            view.write(to);
            to.int1(start.ordinal());
            to.string(folder);
            to.int8(checkpoint);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.appoint(this);
        }

        static Appoint read(WireReader from) {
            return new Appoint(from.int4(), View.read(from), from.constant(Start.values()), from.string(), from.int8());
        }
    }
}
