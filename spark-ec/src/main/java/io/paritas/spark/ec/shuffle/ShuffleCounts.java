/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.concurrent.atomic.LongAdder;

/** What has happened to a shuffle, as the driver sees it. It counts in {@link ShuffleTotals}, too. Thread-safe. */
final class ShuffleCounts {
    private final LongAdder kept = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final LongAdder rebuilt = new LongAdder();

    /** A parity file has been made. */
    void coded(long bytes) {
        ShuffleTotals.CODED_BYTES.add(bytes);
    }

    /** Outputs have stayed although their executor was lost. */
    void kept(int outputs) {
        kept.add(outputs);
        ShuffleTotals.KEPT_OUTPUTS.add(outputs);
    }

    /** A loss has taken an output along. */
    void lost() {
        lost.increment();
        ShuffleTotals.LOST_OUTPUTS.increment();
    }

    /** An output has been stored again. */
    void rebuilt() {
        rebuilt.increment();
        ShuffleTotals.REBUILT_OUTPUTS.increment();
    }

    long keptOutputs() {
        return kept.sum();
    }

    long lostOutputs() {
        return lost.sum();
    }

    long rebuiltOutputs() {
        return rebuilt.sum();
    }
}
