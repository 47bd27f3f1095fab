/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Work that is sent to an instance at once.
 *
 * @param number unique within a broker; the answer names it
 * @param instance that receives it
 * @param works in the order of the rows
 * @param sent when, in nanoseconds
 * @param answer what the instance promises; null until it has the batch
 */
record Batch(
        long number,
        Instance instance,
        List<Work> works,
        long sent,
        AtomicReference<CompletableFuture<float[][]>> answer) {

    Batch(long number, Instance instance, List<Work> works, long sent) {
        this(number, instance, works, sent, new AtomicReference<>());
    }

    /** Makes the inputs. A parity is encoded here, so the caller must not hold a lock. */
    float[][] inputs() {
        return works.stream().map(Work::input).map(Supplier::get).toArray(float[][]::new);
    }

    /** The header {@code traceparent} of its first work that is traced; empty if none is. */
    String traceparent() {
        for (Work work : works) {
            if (work.span().isOn()) {
                return work.span().traceparent();
            }
        }
        return "";
    }

    /** Whether no answer is needed any more. */
    boolean isOver() {
        return works.stream().allMatch(Work::isOver);
    }
}
