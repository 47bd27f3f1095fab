/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.recommend.LocalSpark;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
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

    /** As where clicks are repeated, so that there are more of them. */
    @Test
    void samplesThatOccurTwiceHaveAFingerprint() {
        Dataset<Row> some = CLICKS.samples(SPARK, 0, 20, 1);
        Dataset<Row> others = CLICKS.samples(SPARK, 20, 40, 1);
        try (SplitSamples split = SplitSamples.of(some.union(some), 0, 1);
                SplitSamples other = SplitSamples.of(others.union(others), 0, 1)) {
            assertThat(split.counts().fingerprint()).isNotEqualTo(other.counts().fingerprint());
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
                .isThrownBy(() -> SplitSamples.of(samples, 0.00004, 1))
                .withMessage(
                        "the share that is held out must be 0 or at least 1.0E-4, got 4.0E-5: hold out more samples, or"
                                + " none");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SplitSamples.of(samples.limit(0), 0.1, 1))
                .withMessage("there must be samples to train and to evaluate with, got 0 for training and 0 held out");
    }

    /** A worker would find them after hours, and the training could not be resumed without them: its samples would be others. */
    @Test
    void invalidSamplesAreRefusedWhenTheyAreRead() {
        assertThat(refusal("float(null)", "array(1.5f)", "array(2L)"))
                .isEqualTo(
                        "a sample is invalid, label null, dense [1.5], categorical [2]: its label must be 0 or 1, got null:"
                                + " correct such samples or filter them out");
        assertThat(refusal("0.5f", "array(1.5f)", "array(2L)"))
                .contains("invalid, label 0.5,", "its label must be 0 or 1, got 0.5");
        assertThat(refusal("float('NaN')", "array(1.5f)", "array(2L)")).contains("invalid, label NaN,");
        assertThat(refusal("1f", "array(-1e300D)", "array(2L)"))
                .contains("dense [-Infinity], categorical [2]: its dense numbers must be finite, got -Infinity");
        assertThat(refusal("1f", "array(float('NaN'))", "array(2L)")).contains("dense [NaN],");
        assertThat(refusal("1f", "array(float(null))", "array(2L)"))
                .contains("dense [null],", "must be finite, got null");
        assertThat(refusal("1f", "cast(null AS array<float>)", "array(2L)")).contains("dense null,");
        assertThat(refusal("1f", "array(1.5f)", "array(-1L)")).contains("[-1]: its ids must be at least 0, got -1");
        assertThat(refusal("1f", "array(1.5f)", "array(bigint(null))"))
                .contains("[null]: its ids must be at least 0, got null");
        assertThat(refusal("1f", "array(1.5f)", "cast(null AS array<bigint>)"))
                .contains("categorical null: its ids must be");
        assertThat(refusal("1f", "array(1.5f, 2f)", "array(2L)"))
                .isEqualTo("all samples must have as many dense numbers, got samples with 1 and with 2: correct them or"
                        + " filter them out");
        assertThat(SPARK.sparkContext().getPersistentRDDs().isEmpty()).isTrue();
    }

    /** A number that no table has was met by a worker. The first sample of many is enough. */
    @Test
    void samplesThatDoNotFitTheModelAreRefusedWhenTheyAreRead() {
        refuses("its ids must be 0 to 2, got 3", "array(1.5f)", "array(2L, 3L, 4L)");
        refuses("its ids must be 0 to 2, got -1", "array(1.5f)", "array(-1L)");
        refuses("it must have 1 dense numbers, got 2", "array(1.5f, 2f)", "array(2L)");
        assertThat(SPARK.sparkContext().getPersistentRDDs().isEmpty()).isTrue();
    }

    private static void refuses(String problem, String dense, String categorical) {
        Dataset<Row> samples = SPARK.range(0, 5, 1, 1)
                .selectExpr(
                        "float(if(id = 4, raise_error('read on'), 1)) label",
                        dense + " dense",
                        "if(id = 2, " + categorical + ", array(id)) categorical");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> SplitSamples.of(samples, 0, 1, 1, Tables.of(3)).close())
                .withMessageStartingWith("a sample is invalid, label 1.0, dense [1.5")
                .withMessageEndingWith(": " + problem + ": correct such samples or filter them out");
    }

    private static String refusal(String label, String dense, String categorical) {
        Dataset<Row> sound = SPARK.range(2).selectExpr("float(id) label", "array(1.5f) dense", "array(id) categorical");
        Dataset<Row> samples = sound.union(SPARK.range(1).selectExpr(label, dense, categorical))
                .toDF("label", "dense", "categorical");
        return assertThatIllegalArgumentException()
                .isThrownBy(() -> SplitSamples.of(samples, 0, 1).close())
                .actual()
                .getMessage();
    }

    @Test
    void nothingIsKeptOfSamplesThatCannotBeRead() {
        MapPartitionsFunction<Row, Row> unreadable = rows -> {
            throw new IllegalStateException("unreadable");
        };
        Dataset<Row> samples = CLICKS.samples(SPARK, 0, 9, 1).mapPartitions(unreadable, Encoders.row(Samples.SCHEMA));
        assertThatThrownBy(() -> SplitSamples.of(samples, 0, 1))
                .isInstanceOf(SparkException.class)
                .hasMessageContaining("unreadable");
        assertThat(SPARK.sparkContext().getPersistentRDDs().isEmpty()).isTrue();
    }
}
