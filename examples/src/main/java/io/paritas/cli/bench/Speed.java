/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.erasure.CodeParameters;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * A quick measurement in GB/s (10⁹) of data, on one thread and units of 1 MiB.
 *
 * @param ours on the fastest kernel that can run here
 * @param rsJava Hadoop's own coder
 */
public record Speed(double ours, double rsJava) {
    private static final int UNIT = 1 << 20;

    /** Measures the encoding of each coder for so long, and warms up for twice as long. */
    public static Speed ofEncoding(CodeParameters code, Duration perCoder) throws IOException {
        Coder ours = Coders.oursHere();
        try (Race race = new Race(new Shape(code, UNIT), List.of(Coders.named(Coders.RS_JAVA), ours), 1)) {
            Speeds speeds = race.run(Operation.ENCODE, perCoder);
            return new Speed(speeds.gigabytesPerSecond(ours.name()), speeds.gigabytesPerSecond(Coders.RS_JAVA));
        }
    }
}
