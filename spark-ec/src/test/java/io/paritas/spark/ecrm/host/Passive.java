/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;

/** Does nothing by itself, and opens no connection. */
interface Passive extends EventHandler {
    @Override
    default void receive(Envelope envelope, long now) {}

    @Override
    default void tick(long now) {}

    @Override
    default String endpoint(Address receiver) {
        return "";
    }
}
