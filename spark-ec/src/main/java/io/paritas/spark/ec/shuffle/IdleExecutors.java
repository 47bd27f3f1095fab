/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.dynalloc.ExecutorMonitor;

/**
 * Lets idle executors go under dynamic allocation, although they have map outputs. Spark's {@link ExecutorMonitor} keeps an executor
 * for the shuffles whose outputs it has; it is made to forget those that are coded, for as many executors at a time as the code
 * survives. Once they have gone and their outputs are stored elsewhere, the next ones may go.
 *
 * <p>For one thread, and the thread of Spark's queue of listeners on which the monitor lives.
 */
final class IdleExecutors extends SparkListener {
    private final SparkContext spark;
    private final int survived;
    /** Executors that may go, some of which have. */
    private final Set<String> released = new HashSet<>();

    /**
     * An executor is not kept for some shuffles any more.
     *
     * @param executor its id
     */
    record Release(String executor, List<Integer> shuffles) implements SparkListenerEvent {
        /** It is nothing for the application's log. */
        @Override
        public boolean logEvent() {
            return false;
        }
    }

    /** @param survived how many executors may be lost at once */
    IdleExecutors(SparkContext spark, int survived) {
        this.spark = spark;
        this.survived = survived;
    }

    /**
     * Lets executors go, while there are enough others.
     *
     * @param executors ids of all
     * @param holders ids of those that have map outputs
     * @param coded shuffles, all of whose outputs are there and survive losses
     */
    void release(Set<String> executors, Set<String> holders, List<Integer> coded) {
        released.retainAll(executors);
        TaskSchedulerImpl scheduler = (TaskSchedulerImpl) spark.taskScheduler();
        for (String executor : holders) {
            if (released.size() >= survived || executors.size() - released.size() <= survived + 1) {
                return;
            }
            if (!scheduler.isExecutorBusy(executor) && released.add(executor)) {
                spark.listenerBus().post(new Release(executor, coded));
            }
        }
    }

    @Override
    public void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof Release release
                && spark.executorAllocationManager().isDefined()) {
            ExecutorMonitor monitor = spark.executorAllocationManager().get().executorMonitor();
            ExecutorMonitor.Tracker tracker =
                    monitor.ensureExecutorIsTracked(release.executor(), ResourceProfile.UNKNOWN_RESOURCE_PROFILE_ID());
            release.shuffles().forEach(tracker::removeShuffle);
        }
    }
}
