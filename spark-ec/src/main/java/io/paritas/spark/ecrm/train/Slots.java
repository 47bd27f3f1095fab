/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.apache.spark.SparkContext;

/**
 * What a training takes of the cluster: slots, which are cores of executors by {@code spark.task.cpus}. Servers and spares hold
 * theirs until the end; without one for each worker beside them, training would wait for ever.
 */
record Slots(int servers, int spares, int workers) {
    private static final long PAUSE_MILLIS = 100;

    int sum() {
        return servers + spares + workers;
    }

    /**
     * Waits for executors that are still coming.
     *
     * @throws IllegalStateException if there are too few slots after so many milliseconds
     */
    void await(SparkContext spark, long wait) throws InterruptedException {
        await(() -> spark.maxNumConcurrentTasks(spark.resourceProfileManager().defaultResourceProfile()), wait);
    }

    void await(IntSupplier slots, long wait) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(wait);
        int found = slots.getAsInt();
        while (found < sum()) {
            if (System.nanoTime() >= end) {
                throw new IllegalStateException("Training with " + servers + " servers, " + spares
                        + " spares and " + workers + " workers takes " + sum() + " slots, and after " + wait
                        + " ms the application has " + found
                        + ": give it more executors or cores, or train with fewer");
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            found = slots.getAsInt();
        }
    }
}
