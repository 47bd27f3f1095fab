/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.List;
import java.util.Map;
import org.apache.spark.util.Utils;

/**
 * A shuffle that the driver knows.
 *
 * @param partitions of the reducers
 */
record KnownShuffle(ShuffleGroups groups, int partitions, ShuffleCounts counts) {
    static final List<String> COLUMNS = List.of(
            "Shuffle",
            "Map outputs",
            "Coded",
            "Bytes",
            "Parity",
            "Kept when their executor was lost (map tasks that did not run again)",
            "Lost",
            "Stored again");

    /** For Spark's UI. */
    static List<List<String>> rows(Map<Integer, KnownShuffle> shuffles) {
        return shuffles.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> entry.getValue().row(entry.getKey()))
                .toList();
    }

    private List<String> row(int shuffle) {
        ShuffleGroups.Progress progress = groups.progress();
        return List.of(
                String.valueOf(shuffle),
                String.valueOf(progress.outputs()),
                String.valueOf(progress.coded()),
                Utils.bytesToString(groups.bytes()),
                Utils.bytesToString(counts.parityBytes()),
                String.valueOf(counts.keptOutputs()),
                String.valueOf(counts.lostOutputs()),
                String.valueOf(counts.rebuiltOutputs()));
    }
}
