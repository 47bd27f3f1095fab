/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import io.paritas.cli.spark.jobs.RecommendationSettings.Clicks;
import io.paritas.inference.recommend.data.FeatureEncoding;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.SplitSamples;
import io.paritas.inference.recommend.data.Tables;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * What a model is trained and evaluated with.
 *
 * @param source the samples, and what they are
 * @param tables embedding tables
 * @param denseFeatures dense numbers of a sample
 * @param encoding how a table became these samples; empty if they were generated
 */
record ClickData(Source source, Tables tables, int denseFeatures, Optional<FeatureEncoding> encoding) {
    /**
     * Samples.
     *
     * @param training in a partition for each worker
     * @param evaluation empty if nothing is held out
     * @param samples number of samples for training
     * @param fingerprint identifies them
     */
    record Source(Dataset<Row> training, Optional<Dataset<Row>> evaluation, long samples, String fingerprint) {}

    static ClickData generated(SparkSession spark, RecommendationSettings settings) {
        Clicks wanted = settings.clicks();
        GeneratedClicks clicks = GeneratedClicks.likeCriteo(tables(wanted), settings.seed());
        long end = wanted.samples() + Math.max(1000, wanted.samples() / 10);
        return new ClickData(
                new Source(
                        clicks.samples(spark, 0, wanted.samples(), settings.workers()),
                        Optional.of(clicks.samples(spark, wanted.samples(), end, 1)),
                        wanted.samples(),
                        wanted.samples() + " of " + clicks),
                clicks.tables(),
                clicks.denseFeatures(),
                Optional.empty());
    }

    /** The embedding tables, as far as they are known before any file is read. */
    static Tables tables(Clicks wanted) {
        if (wanted.data().isEmpty()) {
            return Tables.of(wanted.rows());
        }
        return Tables.equal(wanted.columns().categorical().size(), wanted.vocabulary() > 0 ? 1 : wanted.rows());
    }

    static FeatureEncoding encoding(Dataset<Row> table, Clicks wanted) {
        return wanted.vocabulary() > 0
                ? FeatureEncoding.vocabulary(wanted.columns(), table, wanted.vocabulary(), 1)
                : FeatureEncoding.hashed(wanted.columns(), tables(wanted)).ofTypes(table);
    }

    static ClickData of(SplitSamples split, FeatureEncoding encoding) {
        return new ClickData(
                new Source(
                        split.training(),
                        split.evaluation(),
                        split.counts().training(),
                        split.counts().fingerprint()),
                encoding.tables(),
                encoding.columns().dense().size(),
                Optional.of(encoding));
    }

    /** A part of the samples for training, each with a probability of 1 / divisor. */
    Dataset<Row> part(int divisor) {
        return source.training().sample(false, 1.0 / divisor, 1);
    }
}
