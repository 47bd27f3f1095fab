/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Calls that wait, for callers that must not. */
final class Background {
    private Background() {}

    /** Calls on a daemon thread of that name, which ends with the call. */
    static <T> CompletableFuture<T> call(String name, Callable<T> work) {
        CompletableFuture<T> done = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        done.complete(work.call());
                    } catch (Throwable e) { // whatever it is, somebody waits
                        done.completeExceptionally(e);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return done;
    }
}
