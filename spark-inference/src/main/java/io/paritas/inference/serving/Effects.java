/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

/** The actions of a {@link Broker}. They are called under the lock of the broker's caller, so they must not block. */
interface Effects {

    /** Sends a batch to its instance. */
    void send(Batch batch);

    /** Tells the instance that a batch is not needed any more. */
    void cancel(Batch batch);

    /** Gives a query its one reply. */
    void reply(Query query, Reply reply);
}
