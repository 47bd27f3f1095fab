/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

/** When a line is due: some seconds after the begin, and then as many after the line before. */
final class Cadence {
    private final int seconds;
    private double due;

    Cadence(int seconds) {
        this.seconds = seconds;
        this.due = seconds;
    }

    /** Whether a line is due now, in seconds since the begin. Whoever asks writes it then. */
    boolean isDue(double now) {
        if (now < due) {
            return false;
        }
        due = now + seconds;
        return true;
    }
}
