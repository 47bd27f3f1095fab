/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import java.util.regex.Pattern;

/** Recognises engines' messages about failed allocations on the host, and adds what to do. */
final class ShortOfMemory {
    private static final Pattern WORDS = Pattern.compile(
            "failed to allocate|can't allocate memory|bad_alloc|out of memory|not enough memory",
            Pattern.CASE_INSENSITIVE);

    private ShortOfMemory() {}

    /** The failure, with advice if it is about memory. */
    static ModelException explained(ModelException failure) {
        if (!WORDS.matcher(failure.getMessage()).find()) {
            return failure;
        }
        return new ModelException(
                failure.getMessage().strip()
                        + ": the engine cannot allocate memory for this batch: predict fewer at once (on Spark, with"
                        + " the option batchRows), or give the process more memory beside its heap"
                        + " (spark.executor.memoryOverhead)",
                failure.getCause());
    }
}
