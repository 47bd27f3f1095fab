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
    private static final Duration MEASURED = Duration.ofMillis(500);

    /** Measures encoding; takes a few seconds. */
    public static Speed ofEncoding(CodeParameters code) throws IOException {
        Coder ours = Coders.oursHere();
        try (Race race = new Race(new Shape(code, UNIT), List.of(Coders.named(Coders.RS_JAVA), ours), 1)) {
            Speeds speeds = race.run(Operation.ENCODE, MEASURED);
            return new Speed(speeds.gigabytesPerSecond(ours.name()), speeds.gigabytesPerSecond(Coders.RS_JAVA));
        }
    }
}
