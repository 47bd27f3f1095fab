/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

/** What a {@link Broker} wants done. It is told while the broker's caller holds it, so nothing may be done at once that waits. */
interface Effects {

    void send(Batch batch);

    /** Nobody needs a batch any more that was sent. */
    void cancel(Batch batch);

    void reply(Query query, Reply reply);
}
