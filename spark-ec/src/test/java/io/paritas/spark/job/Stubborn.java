/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.TaskCompletionListener;

/**
 * A job of two tasks in this JVM, for tests: when both have started, the first one fails, and the second one is killed for it, but
 * goes on as if it did not know.
 */
public final class Stubborn {
    /** How long it goes on: much longer than a driver takes that does not wait for it. */
    private static final long NANOS = 300_000_000;

    private static volatile CountDownLatch started;
    private static volatile CountDownLatch ended;

    private Stubborn() {}

    /** An element for each partition; the first one cannot be computed. */
    public static JavaRDD<Long> elements(JavaSparkContext context) {
        started = new CountDownLatch(1);
        ended = new CountDownLatch(1);
        return context.parallelize(List.of(0L, 1L), 2).mapPartitions(Stubborn::computed);
    }

    private static Iterator<Long> computed(Iterator<Long> elements) throws InterruptedException {
        long element = elements.next();
        if (element == 0) {
            started.await(1, TimeUnit.MINUTES);
            throw new IllegalStateException("a stubborn test");
        }
        TaskContext.get().addTaskCompletionListener((TaskCompletionListener) task -> ended.countDown());
        started.countDown();
        long end = Long.MAX_VALUE;
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(1_000_000);
            boolean killed = Thread.interrupted() | TaskContext.get().isInterrupted();
            end = killed && end == Long.MAX_VALUE ? System.nanoTime() + NANOS : end;
        }
        return List.of(element).iterator();
    }

    /** Whether the task has ended that was killed. */
    public static boolean hasEnded() {
        return ended.getCount() == 0;
    }
}
