/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import java.util.concurrent.CompletableFuture;

/** Sends queries. */
@FunctionalInterface
interface Sender {
    /** Sends a query without waiting. The future always completes, and never exceptionally. */
    CompletableFuture<Outcome> send(int query);
}
