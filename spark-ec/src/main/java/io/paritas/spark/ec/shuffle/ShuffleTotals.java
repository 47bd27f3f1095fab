/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.concurrent.atomic.LongAdder;

/** What this JVM has done for coded shuffles. */
final class ShuffleTotals {
    /** Bytes of parity files. */
    static final LongAdder PARITY_BYTES = new LongAdder();

    /** Blocks that were decoded for reducers. */
    static final LongAdder DEGRADED_READS = new LongAdder();

    /** Bytes of these blocks. */
    static final LongAdder DECODED_BYTES = new LongAdder();

    /** On the driver: bytes of parity files that executors have made. */
    static final LongAdder CODED_BYTES = new LongAdder();

    /** On the driver: map outputs that stayed when their executor was lost. Each is a map task that did not run again. */
    static final LongAdder KEPT_OUTPUTS = new LongAdder();

    /** On the driver: map outputs that a loss took along. Each is a map task that runs again if somebody needs it. */
    static final LongAdder LOST_OUTPUTS = new LongAdder();

    /** On the driver: map outputs whose files were made again in the background. */
    static final LongAdder REBUILT_OUTPUTS = new LongAdder();

    private static final String PREFIX = "shuffle.";

    private ShuffleTotals() {}

    static void registerExecutor(MetricRegistry registry) {
        register(registry, "parityBytes", PARITY_BYTES);
        register(registry, "degradedReads", DEGRADED_READS);
        register(registry, "decodedBytes", DECODED_BYTES);
    }

    static void registerDriver(MetricRegistry registry, ShuffleCoding coding) {
        register(registry, "codedBytes", CODED_BYTES);
        register(registry, "keptOutputs", KEPT_OUTPUTS);
        register(registry, "lostOutputs", LOST_OUTPUTS);
        register(registry, "rebuiltOutputs", REBUILT_OUTPUTS);
        registry.register(PREFIX + "outputs", (Gauge<Integer>) () -> coding.count(ShuffleGroups.Progress::outputs));
        registry.register(PREFIX + "codedOutputs", (Gauge<Integer>) () -> coding.count(ShuffleGroups.Progress::coded));
    }

    private static void register(MetricRegistry registry, String name, LongAdder total) {
        registry.register(PREFIX + name, (Gauge<Long>) total::sum);
    }
}
