/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.transport;

import io.paritas.spark.ecrm.protocol.Envelope;

/**
 * A way to send. What cannot be sent now is dropped, as by a network: those who wait for an answer ask again, and who does not
 * keep up is not sent more. Thread-safe.
 */
public interface Transport extends AutoCloseable {
    /**
     * Sends a message.
     *
     * @param endpoint host and port of the receiver; empty for one that has connected to this one
     */
    void send(Envelope envelope, String endpoint);

    /** Where this one is reached. */
    String endpoint();

    @Override
    void close();
}
