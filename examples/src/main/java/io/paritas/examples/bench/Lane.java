/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import java.io.IOException;

/** A coder with a stripe of its own, on which it takes turns. One thread at a time. */
interface Lane extends AutoCloseable {
    /**
     * Repeats the operation until so much time has passed.
     *
     * @throws IllegalStateException if what it computed is wrong
     */
    Turn turn(Operation operation, long nanos) throws IOException;

    @Override
    default void close() throws IOException {}

    /** What happened: bytes of data, and how long it took. */
    record Turn(long bytes, long nanos) {
        /** Bytes per nanosecond, which is GB/s. */
        double gigabytesPerSecond() {
            return (double) bytes / nanos;
        }
    }

    /** What a coder that computes wrong bytes is stopped with. */
    static IllegalStateException wrongBytes(String coder, Operation operation, Shape shape) {
        return new IllegalStateException(
                coder + " computes wrong bytes at: " + operation.title + ", " + shape.code() + ". Please report it");
    }
}
