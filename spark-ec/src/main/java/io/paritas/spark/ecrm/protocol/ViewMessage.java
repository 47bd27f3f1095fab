/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.util.List;

/** Between the driver and the others: who is a server, and what to do with iterations whose worker is gone. */
public sealed interface ViewMessage extends Message {
    /** Driver to all, and a server to those that have an older one: from now on, nothing of older epochs is staged. */
    record Fence(View view) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            view.write(to);
        }

        static Fence read(WireReader from) {
            return new Fence(View.read(from));
        }
    }

    /** The answer to the driver. */
    record Fenced(int epoch) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int4(epoch);
        }

        static Fenced read(WireReader from) {
            return new Fenced(from.int4());
        }
    }

    /** Server to driver: its worker has not finished this in time. */
    record Orphaned(TxId tx) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
        }

        static Orphaned read(WireReader from) {
            return new Orphaned(TxId.read(from));
        }
    }

    /** Driver to all servers: how did it end? From now on, only the driver ends it. */
    record Query(TxId tx) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
        }

        static Query read(WireReader from) {
            return new Query(TxId.read(from));
        }
    }

    /** What a server knows. */
    enum Knowledge {
        COMMITTED,
        /** Aborted, never heard of, or staged and now waiting for the driver. */
        NOT_COMMITTED
    }

    /** The answer. */
    record Status(TxId tx, Knowledge knowledge) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            tx.write(to);
            to.one(knowledge.ordinal());
        }

        static Status read(WireReader from) {
            return new Status(TxId.read(from), from.constant(Knowledge.values()));
        }
    }

    /** Driver to all servers: begin no update, and answer when none is on its way. */
    record Hold(long number) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(number);
        }

        static Hold read(WireReader from) {
            return new Hold(from.int8());
        }
    }

    /** The answer, also to {@link Resume}. */
    record Held(long number) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(number);
        }

        static Held read(WireReader from) {
            return new Held(from.int8());
        }
    }

    /** Driver to all servers: begin updates again. */
    record Resume(long number) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(number);
        }

        static Resume read(WireReader from) {
            return new Resume(from.int8());
        }
    }

    /**
     * Driver to a server that is held: write a file of a checkpoint.
     *
     * @param number of the checkpoint
     */
    record Save(long number, String folder) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(number);
            to.string(folder);
        }

        static Save read(WireReader from) {
            return new Save(from.int8(), from.string());
        }
    }

    /** The answer: why it failed; empty if it did not. */
    record Saved(long number, String failure) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(number);
            to.string(failure);
        }

        static Saved read(WireReader from) {
            return new Saved(from.int8(), from.string());
        }
    }

    /** One that was appointed to the driver: it cannot read what it should begin with. */
    record Failed(String why) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.string(why);
        }

        static Failed read(WireReader from) {
            return new Failed(from.string());
        }
    }

    /**
     * A replacement to the driver, now and then: how far its recovery is.
     *
     * @param left units of rows and parities that are still to be recovered
     * @param units that there were at first
     */
    record Recovering(long left, long units) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(left);
            to.int8(units);
        }

        static Recovering read(WireReader from) {
            return new Recovering(from.int8(), from.int8());
        }

        /** What is recovered, from 0 to 1. */
        public double share() {
            return units == 0 ? 1 : (units - left) / (double) units;
        }
    }

    /** Stripes of a table that can no longer be decoded. */
    record LostStripes(int table, long[] stripes) {
        void write(WireWriter to) {
            to.int4(table);
            to.longs(stripes);
        }

        static LostStripes read(WireReader from) {
            return new LostStripes(from.int4(), from.longs());
        }
    }

    /** A replacement to the driver: it has all that there was, but for this. */
    record Recovered(List<LostStripes> stripes, int[] blocks) implements ViewMessage {
        public Recovered {
            stripes = List.copyOf(stripes);
        }

        @Override
        public void write(WireWriter to) {
            to.list(stripes, LostStripes::write);
            to.ints(blocks);
        }

        static Recovered read(WireReader from) {
            return new Recovered(from.list(LostStripes::read), from.ints());
        }
    }

    /** The answer. */
    record Welcome() implements ViewMessage {
        @Override
        public void write(WireWriter to) {}

        static Welcome read(WireReader from) {
            return new Welcome();
        }
    }

    /**
     * A candidate to the driver, again and again until it is a server.
     *
     * @param task its number among those that the driver has started
     * @param endpoint where it is reached
     * @param executor that it is lost with
     */
    record Offer(int task, String endpoint, String executor) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int4(task);
            to.string(endpoint);
            to.string(executor);
        }

        static Offer read(WireReader from) {
            return new Offer(from.int4(), from.string(), from.string());
        }
    }

    /** What a server begins with. */
    enum Start {
        /** Everything as it is before the first update. */
        INITIAL,
        CHECKPOINT,
        /** Nothing: it recovers what was there from other servers. */
        RECOVER
    }

    /**
     * The answer of the driver, when there is need.
     *
     * @param server its number from now on
     * @param view in which it has it
     * @param start what it begins with
     * @param folder of checkpoints, if it begins with one
     * @param checkpoint its number
     */
    record Appoint(int server, View view, Start start, String folder, long checkpoint) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int4(server);
            view.write(to);
            to.one(start.ordinal());
            to.string(folder);
            to.int8(checkpoint);
        }

        static Appoint read(WireReader from) {
            return new Appoint(from.int4(), View.read(from), from.constant(Start.values()), from.string(), from.int8());
        }
    }
}
