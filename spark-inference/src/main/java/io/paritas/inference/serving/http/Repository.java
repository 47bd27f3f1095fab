/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.paritas.PublicApi;
import io.paritas.inference.serving.UnknownModelException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The models that a server may serve: loads them, replaces them by new versions, and unloads them. Thread-safe; never blocks. */
@PublicApi
@FunctionalInterface
public interface Repository {

    /** A replacement that cannot be made now, but perhaps later; nothing has changed. */
    final class ConflictException extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** With a message that says what is in the way. */
        public ConflictException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * A model that may be loaded.
     *
     * @param trouble why it cannot be loaded as it is; empty if nothing is known to be wrong
     */
    record Candidate(String name, String trouble) {}

    /**
     * Serves a model, or replaces its current version by a new one, without losing queries.
     *
     * @param name of the model
     * @param parameters of the load: see {@code docs/serving.md}
     * @return the new version, when it is ready and the former one is gone. Exceptional with an {@link UnknownModelException},
     *     with a {@link ConflictException}, or with another
     *     exception whose message says what is wrong with the parameters or the files
     */
    CompletableFuture<String> load(String name, Map<String, String> parameters);

    /**
     * Ends to serve a model, when its queries have their replies.
     *
     * @return done when it is gone; exceptional as {@link #load}
     */
    default CompletableFuture<Void> unload(String name) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("models of this server are not unloaded, they are replaced"));
    }

    /**
     * All models that may be loaded, served or not, ordered by name.
     *
     * @return soon, because files may have to be read for it
     */
    default CompletableFuture<List<Candidate>> candidates() {
        return CompletableFuture.completedFuture(List.of());
    }
}
