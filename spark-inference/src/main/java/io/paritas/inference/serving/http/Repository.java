/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Who can put a new version of a model in the place of the one that is served. Thread-safe; never blocks. */
@FunctionalInterface
public interface Repository {

    /** What cannot be done now, but perhaps later; all is as it was. */
    final class ConflictException extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** With what is in the way. */
        public ConflictException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Puts a new version in the place of the current one, without losing queries.
     *
     * @param name of the served model
     * @param parameters where the new one is, as {@code docs/serving.md} says
     * @return the new version, once the former one is gone. Exceptional with a {@link ConflictException},
     *     or any other exception whose message says what is wrong with the parameters or the files
     */
    CompletableFuture<String> load(String name, Map<String, String> parameters);
}
