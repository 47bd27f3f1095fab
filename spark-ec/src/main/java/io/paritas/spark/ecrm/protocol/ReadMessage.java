/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/** Reads, and their answers, which carry the number of the request. What is not answered in time is asked again. */
public sealed interface ReadMessage extends Message {
    /** The number of the request, one that its sender gave to no other. */
    long request();

    /** Parameters of rows that the receiver owns. */
    record PullRows(long request, int table, long[] rows) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.int4(table);
            to.longs(rows);
        }

        static PullRows read(WireReader from) {
            return new PullRows(from.int8(), from.int4(), from.longs());
        }
    }

    /** The parameters, row after row. */
    record Rows(long request, float[] parameters) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.floats(parameters);
        }

        static Rows read(WireReader from) {
            return new Rows(from.int8(), from.floats());
        }
    }

    /** None of it can be read: these stripes are lost. */
    record Lost(long request, int table, long[] stripes) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.int4(table);
            to.longs(stripes);
        }

        static Lost read(WireReader from) {
            return new Lost(from.int8(), from.int4(), from.longs());
        }
    }

    /** Parameters of blocks, from the first of their servers. */
    record PullBlocks(long request, int[] blocks) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.ints(blocks);
        }

        static PullBlocks read(WireReader from) {
            return new PullBlocks(from.int8(), from.ints());
        }
    }

    /** The parameters, block after block. */
    record Blocks(long request, float[] parameters) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.floats(parameters);
        }

        static Blocks read(WireReader from) {
            return new Blocks(from.int8(), from.floats());
        }
    }

    /** What units are read for. */
    enum Purpose {
        /** To know parameters: only these are sent, as they are committed. */
        DEGRADED_READ,
        /** To make another unit of the stripe: not while somebody may still commit what the lost server knew of. */
        RECOVERY,
        /** As recovery, without what is buffered; of frozen stripes only. */
        FROZEN
    }

    /** The units that the receiver has of these stripes. */
    record ReadUnits(long request, int table, Purpose purpose, long[] stripes) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.int4(table);
            to.one(purpose.ordinal());
            to.longs(stripes);
        }

        static ReadUnits read(WireReader from) {
            return new ReadUnits(from.int8(), from.int4(), from.constant(Purpose.values()), from.longs());
        }
    }

    /**
     * Units in the order in which they were asked for, but for those that are missing there too.
     *
     * @param missing stripes
     * @param words of one unit after another
     */
    record Units(long request, long[] missing, int[] words) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.longs(missing);
            to.ints(words);
        }

        static Units read(WireReader from) {
            return new Units(from.int8(), from.longs(), from.ints());
        }
    }

    /** A block with its state. */
    record CopyBlock(long request, int block) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.int4(block);
        }

        static CopyBlock read(WireReader from) {
            return new CopyBlock(from.int8(), from.int4());
        }
    }

    /**
     * A block.
     *
     * @param updates that it has had
     * @param all parameters and state; none if it is missing there too
     */
    record BlockCopy(long request, int block, long updates, float[] all) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.int4(block);
            to.int8(updates);
            to.floats(all);
        }

        static BlockCopy read(WireReader from) {
            return new BlockCopy(from.int8(), from.int4(), from.int8(), from.floats());
        }
    }
}
