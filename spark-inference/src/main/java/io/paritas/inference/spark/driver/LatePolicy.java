/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.io.Serializable;
import java.time.Duration;

/**
 * When tasks are late.
 *
 * @param patience multiple of the median duration of the finished segments, at least 1
 * @param deadline time from the first message of an execution until nothing is computed any more; zero is never
 * @param parity when parity is begun
 */
public record LatePolicy(double patience, Duration deadline, ParityStart parity) implements Serializable {
    private static final long serialVersionUID = 1;

    /** Parity is begun when a segment may be late. */
    public LatePolicy(double patience, Duration deadline) {
        this(patience, deadline, ParityStart.LATE);
    }
}
