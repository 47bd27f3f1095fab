/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;

/** A participant of the protocol that an {@link EventLoop} runs. All methods are called on the thread of the loop. */
interface EventHandler {
    /** Takes a message. */
    void receive(Envelope envelope, long now);

    /** Called several times within {@link io.paritas.spark.ecrm.protocol.Timing#retry}, and when it is {@link #due}. */
    void tick(long now);

    /** Returns when something is to be done, if that is before the next tick. */
    default long due() {
        return Long.MAX_VALUE;
    }

    /** Returns host and port of a receiver; empty to use the connection that it has opened. */
    String endpoint(Address receiver);

    /** Called once, after the last message. */
    default void closed() {}

    /** Called when a connection that a participant has opened has ended. */
    default void gone(Address address, long now) {}
}
