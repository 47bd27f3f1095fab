/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.io.Serializable;
import java.time.Duration;

/**
 * What a model's front end allows itself.
 *
 * @param waiting queries that may wait for an instance; more are rejected at once
 * @param batch queries that an instance gets at once, if so many wait; no query waits for others
 * @param pipeline batches that an instance may have at a time, at least 1: 2 hides the way to it and back
 * @param attempts instances that may fail with a query before it is given up
 * @param deadline when a query that does not say is unavailable
 */
public record Limits(int waiting, int batch, int pipeline, int attempts, Duration deadline) implements Serializable {
    /** What is right for models that take milliseconds. */
    public static final Limits DEFAULT = new Limits(1_000, 1, 1, 3, Duration.ofSeconds(1));

    /** Checks the numbers. */
    public Limits {
        if (waiting < 1 || batch < 1 || pipeline < 1 || attempts < 1) {
            throw new IllegalArgumentException(
                    "limits of serving must be at least 1, got " + waiting + " waiting queries, batches of " + batch
                            + ", " + pipeline + " batches at a time, " + attempts + " attempts");
        }
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException("the deadline of a query must be a positive time, got " + deadline);
        }
    }

    public Limits withBatch(int rows) {
        return new Limits(waiting, rows, pipeline, attempts, deadline);
    }

    public Limits withWaiting(int queries) {
        return new Limits(queries, batch, pipeline, attempts, deadline);
    }

    public Limits withDeadline(Duration time) {
        return new Limits(waiting, batch, pipeline, attempts, time);
    }
}
