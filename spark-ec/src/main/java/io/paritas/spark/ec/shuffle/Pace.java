/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/** Keeps who reads files in the background to a rate. For one thread. */
final class Pace {
    private final long bytesPerSecond;
    private final long began = System.nanoTime();
    private long bytes;

    /** @param bytesPerSecond at most; 0 is no limit */
    Pace(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Waits after so many bytes were read. */
    void read(long more) throws InterruptedIOException {
        if (bytesPerSecond == 0) {
            return;
        }
        bytes += more;
        double due = (double) bytes / bytesPerSecond * TimeUnit.SECONDS.toNanos(1);
        try {
            TimeUnit.NANOSECONDS.sleep((long) due - (System.nanoTime() - began));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while files are coded");
        }
    }
}
