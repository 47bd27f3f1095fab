/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

/** Reads and their answers. An answer carries the number of its request. */
public sealed interface ReadMessage extends Message {
    /** The number of the request, unique for its sender. */
    long request();

    /** Worker to owner: read the parameters of rows. */
    record PullRows(long request, int table, long[] rows) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.int4(table);
            to.longs(rows);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.pullRows(this);
        }

        static PullRows read(WireReader from) {
            return new PullRows(from.int8(), from.int4(), from.longs());
        }
    }

    /**
     * Refusal of a pull or a {@link CommitMessage.Stage}: data is lost for good.
     *
     * @param request number of the pull, or sequence number of the attempt: a worker gives no number to two of them
     * @param table number of the table, or -1 for blocks
     * @param stripes lost stripes, or numbers of lost blocks
     */
    record Lost(long request, int table, long[] stripes) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.int4(table);
            to.longs(stripes);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.lost(this);
        }

        static Lost read(WireReader from) {
            return new Lost(from.int8(), from.int4(), from.longs());
        }
    }

    /** Worker to first replica: read the parameters of blocks. */
    record PullBlocks(long request, int[] blocks) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.ints(blocks);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.pullBlocks(this);
        }

        static PullBlocks read(WireReader from) {
            return new PullBlocks(from.int8(), from.ints());
        }
    }

    /**
     * Answer to {@link PullRows} or {@link PullBlocks}, or a part of it. Its parts arrive in order, or not at all.
     *
     * @param answer tells it from the answers to repetitions of the request, which may be newer
     * @param first place of the first value in the whole answer
     * @param values the parameters, row after row or block after block
     */
    record Parameters(long request, long answer, int first, float[] values) implements ReadMessage {
        /** How many values a part has: enough for a network, and few enough for a cache, and for a collector to move them. */
        static final int PART = 1 << 16;

        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.int8(answer);
            to.int4(first);
            to.floats(values);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.parameters(this);
        }

        @Override
        public long bytes() {
            return (long) Float.BYTES * values.length;
        }

        @Override
        public Iterator<Message> parts() {
            if (values.length <= PART) {
                return ReadMessage.super.parts();
            }
            return IntStream.rangeClosed(0, (values.length - 1) / PART)
                    .map(part -> part * PART)
                    .<Message>mapToObj(from -> new Parameters(
                            request,
                            answer,
                            first + from,
                            Arrays.copyOfRange(values, from, Math.min(from + PART, values.length))))
                    .iterator();
        }

        static Parameters read(WireReader from) {
            return new Parameters(from.int8(), from.int8(), from.int4(), from.floats());
        }
    }

    /** Why units are read, and thereby which state of them. */
    enum Purpose {
        /** To decode parameters for a worker. Units are sent as committed, without optimizer state. */
        DEGRADED_READ,
        /**
         * To rebuild another unit of the stripe. Not answered while an update that the failed server knew of may still
         * commit.
         */
        RECOVERY,
        /** To rebuild another unit of a frozen stripe. Units are sent without buffered updates. */
        FROZEN
    }

    /** Worker or replacement to a server: read the receiver's units of these stripes. */
    record ReadUnits(long request, int table, Purpose purpose, long[] stripes) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.int4(table);
            to.int1(purpose.ordinal());
            to.longs(stripes);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.readUnits(this);
        }

        static ReadUnits read(WireReader from) {
            return new ReadUnits(from.int8(), from.int4(), from.constant(Purpose.values()), from.longs());
        }
    }

    /**
     * Answer to {@link ReadUnits}.
     *
     * @param missing stripes whose unit the sender does not have either
     * @param words the other units, one after another, in the order of the request
     */
    record Units(long request, long[] missing, int[] words) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.longs(missing);
            to.ints(words);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.units(this);
        }

        @Override
        public long bytes() {
            return (long) Long.BYTES * missing.length + (long) Integer.BYTES * words.length;
        }

        static Units read(WireReader from) {
            return new Units(from.int8(), from.longs(), from.ints());
        }
    }

    /** Replacement to the replica before it: read a block with its optimizer state. */
    record CopyBlock(long request, int block) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.int4(block);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.copyBlock(this);
        }

        static CopyBlock read(WireReader from) {
            return new CopyBlock(from.int8(), from.int4());
        }
    }

    /**
     * Answer to {@link CopyBlock}.
     *
     * @param updates how many updates the block has had
     * @param all parameters, then optimizer state; empty if the sender has lost the block
     * @param included orders of updates that the block has had, which the receiver has not acknowledged; none with one phase
     */
    record BlockCopy(long request, int block, long updates, float[] all, List<CommitMessage.Order> included)
            implements ReadMessage {
        public BlockCopy {
            included = List.copyOf(included);
        }

        @Override
        public void write(WireWriter to) {
            to.int8(request);
            to.int4(block);
            to.int8(updates);
            to.floats(all);
            to.list(included, CommitMessage.Order::write);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.blockCopy(this);
        }

        @Override
        public long bytes() {
            return (long) Float.BYTES * all.length;
        }

        static BlockCopy read(WireReader from) {
            return new BlockCopy(
                    from.int8(), from.int4(), from.int8(), from.floats(), from.list(CommitMessage.Order::read));
        }
    }

    /** Worker to a server: tell me when the attempts of others that you have begun are over. */
    record Settle(long request) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.settle(this);
        }

        static Settle read(WireReader from) {
            return new Settle(from.int8());
        }
    }

    /** Answer to {@link Settle}: they are over. */
    record Settled(long request) implements ReadMessage {
        @Override
        public void write(WireWriter to) {
            to.int8(request);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.settled(this);
        }

        static Settled read(WireReader from) {
            return new Settled(from.int8());
        }
    }
}
