/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is in the folder of models, for whoever asks, however often: read on a thread of its own, at most once a second. Thread-safe;
 * never blocks.
 */
final class Listing {
    private static final Logger LOG = LoggerFactory.getLogger(Listing.class);
    private static final long FRESH = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<SortedMap<String, String>> read;
    private CompletableFuture<SortedMap<String, String>> last;
    private long begun;

    /** What {@code read} reads: names of models, and what is wrong with them. */
    Listing(Supplier<SortedMap<String, String>> read) {
        this.read = read;
    }

    /** What is there now, or was less than a second ago; nothing if the folder cannot be read, which the log tells. */
    synchronized CompletableFuture<SortedMap<String, String>> now() {
        long now = System.nanoTime();
        if (last == null || (last.isDone() && now - begun > FRESH)) {
            begun = now;
            last = Background.call("paritas-serving-list", read::get).exceptionally(failure -> {
                LOG.warn("Paritas: {}", failure.getMessage());
                return new TreeMap<>();
            });
        }
        return last;
    }
}
