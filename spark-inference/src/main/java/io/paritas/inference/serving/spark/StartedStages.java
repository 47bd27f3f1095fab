/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import java.util.BitSet;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskStart;

/**
 * The stages of which a task has had a slot, a bit for each stage of the application. Spark tells its listeners so at once; its status store
 * may learn it ten seconds later, with the next heartbeat of an executor. Thread-safe.
 */
final class StartedStages extends SparkListener {
    private final BitSet stages = new BitSet();

    @Override
    public synchronized void onTaskStart(SparkListenerTaskStart start) {
        stages.set(start.stageId());
    }

    synchronized boolean contains(int stage) {
        return stages.get(stage);
    }
}
