/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * A replacement and the other servers: locks of ranges of stripes while they are recovered (thesis 5.3.4). A replacement
 * has one lock at a time, and numbers them.
 */
public sealed interface RangeMessage extends Message {
    long lock();

    /** Stage no more updates of these stripes, and answer when none is staged. */
    record LockRange(long lock, int table, long from, long to) implements RangeMessage {
        @Override
        public void write(WireWriter bytes) {
            bytes.int8(lock);
            bytes.int4(table);
            bytes.int8(from);
            bytes.int8(to);
        }

        static LockRange read(WireReader bytes) {
            return new LockRange(bytes.int8(), bytes.int4(), bytes.int8(), bytes.int8());
        }
    }

    /** What to do next with a lock that all have. */
    enum Step {
        /** Take updates again, and buffer them. */
        BUFFER,
        /** Store what is buffered, and forget the lock. */
        UNLOCK
    }

    /** The next step. */
    record StepRange(long lock, Step step) implements RangeMessage {
        @Override
        public void write(WireWriter bytes) {
            bytes.int8(lock);
            bytes.one(step.ordinal());
        }

        static StepRange read(WireReader bytes) {
            return new StepRange(bytes.int8(), bytes.constant(Step.values()));
        }
    }

    /** The answer to the lock: nothing is staged. */
    record Locked(long lock) implements RangeMessage {
        @Override
        public void write(WireWriter bytes) {
            bytes.int8(lock);
        }

        static Locked read(WireReader bytes) {
            return new Locked(bytes.int8());
        }
    }

    /** The answer to a step. */
    record Stepped(long lock, Step step) implements RangeMessage {
        @Override
        public void write(WireWriter bytes) {
            bytes.int8(lock);
            bytes.one(step.ordinal());
        }

        static Stepped read(WireReader bytes) {
            return new Stepped(bytes.int8(), bytes.constant(Step.values()));
        }
    }
}
