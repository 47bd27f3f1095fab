/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import java.io.IOException;

/** A coder with a stripe of its own. One thread at a time may use it. */
interface Lane extends AutoCloseable {
    /**
     * Repeats the operation for some time.
     *
     * @throws IllegalStateException if what it computed is wrong
     */
    Turn turn(Operation operation, long nanos) throws IOException;

    @Override
    default void close() throws IOException {}

    /** A turn: bytes of data, and the time. */
    record Turn(long bytes, long nanos) {
        /** Bytes per nanosecond, which is GB/s. */
        double gigabytesPerSecond() {
            return (double) bytes / nanos;
        }
    }

    /** Returns the exception for a coder that computes wrong bytes. */
    static IllegalStateException wrongBytes(String coder, Operation operation, Shape shape) {
        return new IllegalStateException(
                coder + " computes wrong bytes at: " + operation.title + ", " + shape.code() + ". Please report it");
    }
}
