/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;

/** What an {@link EventLoop} runs: gets messages and the time, on one thread. */
interface Machine {
    void receive(Envelope envelope, long now);

    void tick(long now);

    /** Where a receiver is reached; empty if it has connected to this one. */
    String endpoint(Address receiver);

    /** Nothing will come any more. */
    default void closed() {}

    /** The connection of somebody has ended. */
    default void gone(Address address, long now) {}
}
