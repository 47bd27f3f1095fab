/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.paritas.PublicApi;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Replaces served models by new versions. Thread-safe; never blocks. */
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
     * Replaces the current version by a new one, without losing queries.
     *
     * @param name of the served model
     * @param parameters of the load: see {@code docs/serving.md}
     * @return the new version, when the former one is gone. Exceptional with a {@link ConflictException}, or with another
     *     exception whose message says what is wrong with the parameters or the files
     */
    CompletableFuture<String> load(String name, Map<String, String> parameters);
}
