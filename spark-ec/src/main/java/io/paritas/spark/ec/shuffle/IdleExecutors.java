/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.spark.SparkContext;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.dynalloc.ExecutorMonitor;

/**
 * Lets idle executors go under dynamic allocation, although they have map outputs. Spark's {@link ExecutorMonitor} keeps an executor
 * for the shuffles that its map tasks have written. It is made to keep those that have other files of a coded shuffle, too, and to
 * forget coded shuffles for as many executors at a time as the code survives. Once they have gone and their files are stored
 * elsewhere, the next ones may go.
 *
 * <p>For one thread, and the thread of Spark's queue of listeners on which the monitor lives.
 */
final class IdleExecutors extends SparkListener {
    private final SparkContext spark;
    private final Releases releases;

    /** Whether the monitor keeps an executor for some shuffles. */
    private record Keeping(String executor, List<Integer> shuffles, BiConsumer<ExecutorMonitor.Tracker, Integer> how)
            implements SparkListenerEvent {
        /** It is nothing for the application's log. */
        @Override
        public boolean logEvent() {
            return false;
        }
    }

    /** @param survived how many executors may be lost at once */
    IdleExecutors(SparkContext spark, int survived) {
        this.spark = spark;
        this.releases = new Releases(survived);
    }

    /** Keeps an executor that is to store parity, or an output of another one, until it is released. */
    void keep(String executor, int shuffle) {
        spark.listenerBus().post(new Keeping(executor, List.of(shuffle), (monitor, id) -> monitor.addShuffle(id)));
    }

    /** An executor is not kept for some shuffles any more. */
    void forget(String executor, List<Integer> shuffles) {
        spark.listenerBus().post(new Keeping(executor, shuffles, (monitor, id) -> monitor.removeShuffle(id)));
    }

    /**
     * Lets executors go: all that have no file, and others while enough are left. It is said again each time, because an executor
     * that was released may have had work since then.
     *
     * @param executors ids of all
     * @param holders ids of those that have files of coded shuffles
     * @param coded shuffles, all of whose outputs are there and survive losses
     * @return executors that were released and have work: they are to be kept again
     */
    Set<String> release(Set<String> executors, Set<String> holders, List<Integer> coded) {
        Set<String> working = releases.takeBack(executors, this::isBusy);
        for (String executor : executors) {
            if (!holders.contains(executor) || releases.mayGo(executor, holders.size(), this::isBusy)) {
                forget(executor, coded);
            }
        }
        return working;
    }

    private boolean isBusy(String executor) {
        return ((TaskSchedulerImpl) spark.taskScheduler()).isExecutorBusy(executor);
    }

    @Override
    public void onOtherEvent(SparkListenerEvent event) {
        // The monitor would take an executor that has gone for a new one.
        if (event instanceof Keeping keeping
                && spark.executorAllocationManager().isDefined()
                && spark.getExecutorIds().contains(keeping.executor())) {
            ExecutorMonitor.Tracker tracker = spark.executorAllocationManager()
                    .get()
                    .executorMonitor()
                    .ensureExecutorIsTracked(keeping.executor(), ResourceProfile.UNKNOWN_RESOURCE_PROFILE_ID());
            keeping.shuffles().forEach(shuffle -> keeping.how().accept(tracker, shuffle));
        }
    }
}
