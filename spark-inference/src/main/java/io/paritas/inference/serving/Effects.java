/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/** The actions of a {@link Broker}. They are called while it works on an event, so they only note what is to be done after it. */
interface Effects {

    /**
     * Computes something that takes time, after the event, and brings the result back.
     *
     * @param work does not touch the broker
     * @param done a later event of the broker, which is told its time
     */
    <T> void compute(Supplier<T> work, ObjLongConsumer<T> done);

    /** Sends a batch to its instance. */
    void send(Batch batch);

    /** Tells the instance that a batch is not needed any more. */
    void cancel(Batch batch);

    /** Gives a query its one reply. */
    void reply(Query query, Reply reply);

    /** Who looks at answers. */
    default AnswerObserver observer() {
        return AnswerObserver.NONE;
    }
}
