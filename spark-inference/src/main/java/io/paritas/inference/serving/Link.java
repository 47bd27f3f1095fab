/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import java.util.concurrent.CompletableFuture;

/** A connection to an instance. Thread-safe; never blocks. */
@PublicApi
public interface Link {

    /**
     * Sends a batch to be predicted.
     *
     * @param batch its number, for {@link #cancel}
     * @param inputs a row for each query
     * @return a row for each query, or a failure whose message says what is wrong with the instance
     */
    CompletableFuture<float[][]> predict(long batch, float[][] inputs);

    /**
     * Sends a batch to be predicted as a part of a trace.
     *
     * @param traceparent the header of the W3C's Trace Context; empty if it is not traced
     */
    default CompletableFuture<float[][]> predict(long batch, float[][] inputs, String traceparent) {
        return predict(batch, inputs);
    }

    /** Cancels a batch, which the instance skips if it has not begun. Its future completes all the same. */
    void cancel(long batch);
}
