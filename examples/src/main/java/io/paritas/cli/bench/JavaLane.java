/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** A lane of a coder in this JVM. It checks the result after each turn. */
final class JavaLane implements Lane {
    /** A coder and its stripe. */
    interface Work {
        /** Computes the parity. */
        void encode() throws IOException;

        /** Reconstructs the first data units into the stripe's outputs. */
        void decode(int erased) throws IOException;
    }

    private final String name;
    private final Stripe stripe;
    private final Work work;
    private final Map<Operation, ByteBuffer[]> expected = new EnumMap<>(Operation.class);

    JavaLane(String name, Stripe stripe, Work work) {
        this.name = name;
        this.stripe = stripe;
        this.work = work;
        for (Operation operation : Operation.values()) {
            expected.put(operation, stripe.expected(operation));
        }
    }

    @Override
    public Turn turn(Operation operation, long nanos) throws IOException {
        ByteBuffer[] written = stripe.written(operation);
        byte[] zeros = new byte[stripe.shape().unitLength()];
        Arrays.stream(written).forEach(unit -> unit.put(0, zeros)); // nothing left from the turn before
        Turn turn = repeat(operation, nanos);
        if (!Arrays.equals(written, expected.get(operation))) {
            throw Lane.wrongBytes(name, operation, stripe.shape());
        }
        return turn;
    }

    private Turn repeat(Operation operation, long nanos) throws IOException {
        int erased = operation.erased(stripe.shape().code());
        long start = System.nanoTime();
        long bytes = 0;
        long elapsed;
        do {
            if (operation == Operation.ENCODE) {
                work.encode();
            } else {
                work.decode(erased);
            }
            bytes += stripe.shape().dataBytes();
            elapsed = System.nanoTime() - start;
        } while (elapsed < nanos);
        return new Turn(bytes, elapsed);
    }
}
