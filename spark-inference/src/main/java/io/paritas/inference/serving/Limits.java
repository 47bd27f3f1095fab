/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import java.io.Serializable;
import java.time.Duration;

/**
 * The limits of a model's front end.
 *
 * @param waiting most queries that wait for an instance; more are rejected at once
 * @param batch most queries that an instance gets at once; no query waits for others
 * @param pipeline most batches that an instance has at a time; 2 hide the network's latency
 * @param attempts failures after which a query is given up
 * @param deadline of a query that gives none
 */
@PublicApi
public record Limits(int waiting, int batch, int pipeline, int attempts, Duration deadline) implements Serializable {
    /** 1,000 waiting queries, batches of 1, 1 batch at a time, 3 attempts, 1 s: for models that take milliseconds. */
    public static final Limits DEFAULT = new Limits(1_000, 1, 1, 3, Duration.ofSeconds(1));

    /** Checks the numbers. */
    public Limits {
        if (waiting < 1 || batch < 1 || pipeline < 1 || attempts < 1) {
            throw new IllegalArgumentException("the limits of a front end must be at least 1, got waiting " + waiting
                    + ", batch " + batch + ", pipeline " + pipeline + ", attempts " + attempts);
        }
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException("the deadline of a query must be positive, got " + deadline);
        }
    }

    /** These limits with another {@link #batch}. */
    public Limits withBatch(int rows) {
        return new Limits(waiting, rows, pipeline, attempts, deadline);
    }

    /** These limits with another {@link #waiting}. */
    public Limits withWaiting(int queries) {
        return new Limits(queries, batch, pipeline, attempts, deadline);
    }

    /** These limits with another {@link #deadline}. */
    public Limits withDeadline(Duration time) {
        return new Limits(waiting, batch, pipeline, attempts, time);
    }
}
