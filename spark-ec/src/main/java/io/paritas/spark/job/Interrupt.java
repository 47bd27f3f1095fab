/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;

/**
 * The interrupt of a thread, as of a task that Spark kills. What the thread reads, stores or asks for then fails, and may be sound:
 * whoever catches the failure throws it on, and neither drops nor reports anything.
 *
 * <p>The class of an exception does not tell who was interrupted. Threads share connections, as those to a NameNode: the interrupt of one
 * fails the calls of all, with the same exception. File systems clear the flag of a thread that is interrupted, and some say a timeout as
 * an interrupt. But Spark marks a task before it interrupts its thread. So the task knows; only where there is none, the class counts.
 */
public final class Interrupt {
    private Interrupt() {}

    /**
     * Whether a call failed because this thread was interrupted, or its task killed. Where an {@link InterruptedException} has cleared the
     * thread's flag it is set again: one that nobody declares is not expected by those who would see to that. No other exception sets it.
     */
    public static boolean caused(Throwable failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        if (Thread.currentThread().isInterrupted()) {
            return true;
        }
        TaskContext task = TaskContext.get();
        return task == null ? isInterrupt(failure) : task.isInterrupted();
    }

    /** Whether the interrupt of any thread, also of another one, is a failure or among its causes. */
    public static boolean isAmongCauses(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).anyMatch(Interrupt::isInterrupt);
    }

    private static boolean isInterrupt(Throwable failure) {
        return failure instanceof InterruptedException
                || failure instanceof ClosedByInterruptException
                || failure instanceof FileLockInterruptionException
                || (failure instanceof InterruptedIOException && !isTimeout(failure));
    }

    /** The JDK, Hadoop and Apache's HTTP client each have classes of such names, and no type in common. */
    private static boolean isTimeout(Throwable failure) {
        return failure.getClass().getSimpleName().endsWith("TimeoutException");
    }
}
