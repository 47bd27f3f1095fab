/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.recommend.LocalSpark;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

class SplitSamplesTest {
    private static final SparkSession SPARK = LocalSpark.session();
    private static final GeneratedClicks CLICKS = new GeneratedClicks(Tables.of(100), 2, 3, 1.05, 1);

    /** However the table is read. */
    @Test
    void theSplitAndItsOrderFollowFromTheSamples() {
        Dataset<Row> samples = CLICKS.samples(SPARK, 0, 2000, 3);
        try (SplitSamples split = SplitSamples.of(samples, 0.1, 2);
                SplitSamples other = SplitSamples.of(samples.repartition(7), 0.1, 2)) {
            List<List<String>> partitions = partitions(split.training());
            assertThat(partitions).hasSize(2).isEqualTo(partitions(other.training()));
            assertThat(partitions).allSatisfy(partition -> assertThat(partition).hasSizeBetween(700, 1100));
            List<String> heldOut = split.evaluation().orElseThrow().collectAsList().stream()
                    .map(Row::toString)
                    .sorted()
                    .toList();
            assertThat(heldOut)
                    .hasSizeBetween(150, 250)
                    .isEqualTo(other.evaluation().orElseThrow().collectAsList().stream()
                            .map(Row::toString)
                            .sorted()
                            .toList());
            List<String> all = new ArrayList<>(heldOut);
            partitions.forEach(all::addAll);
            assertThat(all)
                    .containsExactlyInAnyOrderElementsOf(
                            samples.collectAsList().stream().map(Row::toString).toList());
            assertThat(split.counts()).isEqualTo(other.counts());
            assertThat(split.counts().heldOut()).isEqualTo(heldOut.size());
            assertThat(split.counts().training()).isEqualTo(2000 - heldOut.size());
            assertThat(split.counts().clicks()).isBetween(0.1, 0.5);
            assertThat(split.counts().fingerprint()).matches(split.counts().training() + " samples, hash [0-9a-f]{16}");
        }
        try (SplitSamples fewer = SplitSamples.of(samples.limit(1999), 0, 2);
                SplitSamples split = SplitSamples.of(samples, 0, 2)) {
            assertThat(fewer.evaluation()).isEmpty();
            assertThat(fewer.counts().hash()).isNotEqualTo(split.counts().hash());
        }
    }

    private static List<List<String>> partitions(Dataset<Row> samples) {
        return samples.toJavaRDD().glom().collect().stream()
                .map(rows -> rows.stream().map(Row::toString).toList())
                .toList();
    }

    @Test
    void sharesThatLeaveNothingAreRefused() {
        Dataset<Row> samples = CLICKS.samples(SPARK, 0, 2, 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SplitSamples.of(samples, 1, 1))
                .withMessage("the share that is held out must be at least 0 and below 1, got 1.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SplitSamples.of(samples.limit(0), 0.1, 1))
                .withMessage("there must be samples to train and to evaluate with, got 0 for training and 0 held out");
    }
}
