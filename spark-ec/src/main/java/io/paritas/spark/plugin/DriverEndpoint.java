/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.api.plugin.PluginContext;

/** The driver's end of a plugin's messages, as an executor knows it. */
final class DriverEndpoint {
    private DriverEndpoint() {}

    /**
     * Makes Spark look up the driver's endpoint now. Spark does so at a context's first message and keeps the result, even if
     * the lookup fails: a task that is interrupted while it sends the first message would cut off its executor for good. So
     * this sends one, from a thread that nothing interrupts, and returns after the lookup. Messages from interrupted threads
     * fail alone afterwards.
     *
     * @throws java.util.concurrent.CompletionException if the driver cannot be reached
     */
    static void resolve(PluginContext context) {
        CompletableFuture.runAsync(() -> sendEmpty(context), DriverEndpoint::start)
                .join();
    }

    private static void sendEmpty(PluginContext context) {
        try {
            context.send(Envelope.empty());
        } catch (IOException e) {
            throw new UncheckedIOException("the driver's plugin cannot be reached: " + e.getMessage(), e);
        }
    }

    private static void start(Runnable lookup) {
        Thread thread = new Thread(lookup, "paritas-driver-endpoint");
        thread.setDaemon(true);
        thread.start();
    }
}
