/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.load;

import java.util.concurrent.CompletableFuture;

/** What queries are sent through. */
@FunctionalInterface
interface Sender {
    /** Sends a query, without waiting; the future never fails, and ends in any case. */
    CompletableFuture<Outcome> send(int query);
}
