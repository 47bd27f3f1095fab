/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.spark.ecrm.EcrmSettings;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.apache.spark.SparkContext;

/**
 * The slots that a training needs: cores of executors divided by {@code spark.task.cpus}. Servers and spares hold theirs until
 * the end; without one more for each worker, training would never start.
 */
record Slots(int servers, int spares, int workers) {
    private static final long PAUSE_MILLIS = 100;

    int sum() {
        return servers + spares + workers;
    }

    /**
     * Waits until there are enough slots: executors may still start.
     *
     * @throws IllegalStateException if there are too few after that time
     */
    void await(SparkContext spark, Duration wait) throws InterruptedException {
        await(() -> spark.maxNumConcurrentTasks(spark.resourceProfileManager().defaultResourceProfile()), wait);
    }

    void await(IntSupplier slots, Duration wait) throws InterruptedException {
        long end = System.nanoTime() + wait.toNanos();
        int found = slots.getAsInt();
        while (found < sum()) {
            if (System.nanoTime() >= end) {
                throw new IllegalStateException("training with " + servers + " servers, " + spares + " spares and "
                        + workers + " workers must have " + sum() + " slots, got " + found + " after " + wait.toMillis()
                        + " ms: give the application more executors (spark.dynamicAllocation.minExecutors, where it is dynamic) or"
                        + " cores, or more time with "
                        + EcrmSettings.SLOTS_TIMEOUT.key() + " or waitFor of the trainer, or train with fewer");
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            found = slots.getAsInt();
        }
    }
}
