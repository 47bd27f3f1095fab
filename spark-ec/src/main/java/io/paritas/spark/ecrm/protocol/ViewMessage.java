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

    /**
     * The answer of the driver, when there is need.
     *
     * @param server its number from now on
     * @param view in which it has it
     */
    record Appoint(int server, View view) implements ViewMessage {
        @Override
        public void write(WireWriter to) {
            to.int4(server);
            view.write(to);
        }

        static Appoint read(WireReader from) {
            return new Appoint(from.int4(), View.read(from));
        }
    }
}
