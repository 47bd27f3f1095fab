/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.transport;

import io.paritas.spark.ecrm.protocol.Envelope;

/**
 * Sends messages, without a guarantee of delivery: drops what cannot be sent now, and what is for a receiver that does
 * not keep up. Senders repeat what is not answered. Thread-safe.
 */
public interface Transport extends AutoCloseable {
    /** Takes messages that arrive, on threads of the network; must not block. */
    interface Receiver {
        /** @param bytes length of the message on the network */
        void receive(Envelope envelope, int bytes);
    }

    /**
     * Sends a message, or drops it. Does not block.
     *
     * @param endpoint host and port of the receiver; empty to use the connection that the receiver has opened
     */
    void send(Envelope envelope, String endpoint);

    /** Returns host and port at which others reach this transport. */
    String endpoint();

    @Override
    void close();
}
