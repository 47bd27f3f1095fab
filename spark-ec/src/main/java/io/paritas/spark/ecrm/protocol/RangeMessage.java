/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * Locks of ranges of stripes, which a replacement takes on all other servers while it recovers the range (thesis,
 * 5.3.4). A replacement holds one lock at a time.
 */
public sealed interface RangeMessage extends Message {
    /** The number of the lock; a replacement counts its locks upwards. */
    long lock();

    /**
     * Replacement to servers: stage no more updates of these stripes, and answer {@link Locked} when none is staged.
     *
     * @param from the first stripe
     * @param to the stripe behind the last one
     */
    record LockRange(long lock, int table, long from, long to) implements RangeMessage {
        @Override
        public void write(WireWriter bytes) {
            bytes.int8(lock);
            bytes.int4(table);
            bytes.int8(from);
            bytes.int8(to);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.lockRange(this);
        }

        static LockRange read(WireReader bytes) {
            return new LockRange(bytes.int8(), bytes.int4(), bytes.int8(), bytes.int8());
        }
    }

    /** The next step of a lock that all servers hold. */
    enum Step {
        /** Accept updates again, into a buffer; the stored units stay frozen. */
        BUFFER,
        /** Store the buffered updates and release the lock. */
        UNLOCK
    }

    /** Replacement to servers: take the next step. */
    record StepRange(long lock, Step step) implements RangeMessage {
        @Override
        public void write(WireWriter bytes) {
            bytes.int8(lock);
            bytes.int1(step.ordinal());
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.stepRange(this);
        }

        static StepRange read(WireReader bytes) {
            return new StepRange(bytes.int8(), bytes.constant(Step.values()));
        }
    }

    /** Answer to {@link LockRange}: no update of the range is staged. */
    record Locked(long lock) implements RangeMessage {
        @Override
        public void write(WireWriter bytes) {
            bytes.int8(lock);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.locked(this);
        }

        static Locked read(WireReader bytes) {
            return new Locked(bytes.int8());
        }
    }

    /** Answer to {@link StepRange}. With {@link Step#UNLOCK} also the refusal of a {@link LockRange}. */
    record Stepped(long lock, Step step) implements RangeMessage {
        @Override
        public void write(WireWriter bytes) {
            bytes.int8(lock);
            bytes.int1(step.ordinal());
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.stepped(this);
        }

        static Stepped read(WireReader bytes) {
            return new Stepped(bytes.int8(), bytes.constant(Step.values()));
        }
    }
}
