/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.plugin.Report;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.util.Utils;

/** What there is to say about each shuffle, for Spark's UI. */
final class ShuffleReport {
    private static final List<String> COLUMNS = List.of(
            "Shuffle",
            "Map outputs",
            "Coded",
            "Bytes",
            "Parity",
            "Kept when their executor was lost (map tasks that did not run again)",
            "Lost",
            "Stored again");

    private ShuffleReport() {}

    static Report of(Collection<CodedShuffle> shuffles) {
        return new Report(
                "Coded shuffles",
                COLUMNS,
                shuffles.stream()
                        .sorted(Comparator.comparingInt(CodedShuffle::id))
                        .map(ShuffleReport::row)
                        .toList());
    }

    private static List<String> row(CodedShuffle shuffle) {
        ShuffleGroups.Progress progress = shuffle.groups().progress();
        ShuffleCounts counts = shuffle.counts();
        return List.of(
                String.valueOf(shuffle.id()),
                String.valueOf(progress.outputs()),
                String.valueOf(progress.coded()),
                Utils.bytesToString(shuffle.groups().bytes()),
                Utils.bytesToString(shuffle.groups().parityBytes()),
                String.valueOf(counts.keptOutputs()),
                String.valueOf(counts.lostOutputs()),
                String.valueOf(counts.rebuiltOutputs()));
    }
}
