/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;

/**
 * The interrupt of a thread, as of a task that Spark kills. What the thread reads, stores or asks for then fails, and may be sound:
 * whoever catches the failure throws it on, and neither drops nor reports anything.
 */
public final class Interrupt {
    private Interrupt() {}

    /**
     * Whether a call failed because this thread was interrupted. Then the thread stays interrupted: an exception that nobody declares is
     * not expected by those who would see to that.
     */
    public static boolean caused(Throwable failure) {
        if (isInterrupt(failure)) {
            Thread.currentThread().interrupt();
        }
        return Thread.currentThread().isInterrupted();
    }

    private static boolean isInterrupt(Throwable failure) {
        return failure instanceof InterruptedException
                || failure instanceof ClosedByInterruptException
                || failure instanceof FileLockInterruptionException
                || (failure instanceof InterruptedIOException && !(failure instanceof SocketTimeoutException));
    }
}
