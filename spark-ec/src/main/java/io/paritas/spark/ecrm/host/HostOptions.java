/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.server.Pace;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.io.Serializable;

/**
 * How servers are run.
 *
 * @param spares tasks that wait to replace a server; each has a slot, and no memory to speak of
 * @param silence milliseconds after which a server that says nothing is taken for dead; one whose process ends is noticed at once
 * @param timing of the protocol
 * @param pace of recovery
 */
public record HostOptions(int spares, long silence, Timing timing, Pace pace) implements Serializable {
    public static final HostOptions DEFAULT = new HostOptions(1, 10_000, Timing.DEFAULT, Pace.DEFAULT);

    public HostOptions {
        if (spares < 0 || silence < 2 * timing.retry()) {
            throw new IllegalArgumentException(
                    "There are 0 spares or more, and a server may be silent for at least twice " + timing.retry()
                            + " ms, but " + spares + " spares and " + silence + " ms are given");
        }
    }

    /** Servers and spares. */
    int tasks(ModelSpec model) {
        return model.servers() + spares;
    }
}
