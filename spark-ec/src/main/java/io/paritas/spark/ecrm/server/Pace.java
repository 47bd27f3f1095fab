/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import java.io.Serializable;

/**
 * How a replacement recovers what nobody waits for.
 *
 * @param ranges of a table that are locked one after another: the more, the less is buffered, and the more often all stop a moment
 * @param batch stripes that are read at a time
 */
public record Pace(int ranges, int batch) implements Serializable {
    public static final Pace DEFAULT = new Pace(10, 1024);

    public Pace {
        if (ranges < 1 || batch < 1) {
            throw new IllegalArgumentException(
                    "A table is recovered in at least one range, and one stripe at a time, but was " + "given " + ranges
                            + " ranges and " + batch + " stripes");
        }
    }
}
