/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.concurrent.CompletableFuture;

/** The way to an instance. Thread-safe, and never blocks. */
public interface Link {

    /**
     * Has a batch predicted.
     *
     * @param batch by which it can be cancelled
     * @param inputs a row for each query
     * @return a row for each query, or a failure whose message says what is wrong with the instance
     */
    CompletableFuture<float[][]> predict(long batch, float[][] inputs);

    /** Nobody needs the answer to a batch: what has not begun need not begin. The future is completed all the same. */
    void cancel(long batch);
}
