/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import io.paritas.PublicApi;
import io.paritas.random.SplitMix64;
import java.io.Serializable;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A generator of samples like click logs: few embedding rows are in most samples, most rows in few, and labels follow a hidden
 * model, so that there is something to learn.
 *
 * <p>Each sample is a function of the seed and its number, whatever the partitions. Feature f belongs to table f mod (number of
 * tables); the features of a table share out its rows, the most frequent ones first. The hidden logit is a sum of an offset,
 * the weighted dense numbers (standard normal), an effect of each categorical row, and the product of the effects of the first
 * two features, which no sum over features can express. Immutable.
 *
 * @param tables the embedding tables
 * @param denseFeatures dense numbers of a sample
 * @param features categorical values of a sample
 * @param skew exponent of the frequencies: the i-th value has a share of about i^-skew
 * @param seed seed of all random numbers
 */
@PublicApi
public record GeneratedClicks(Tables tables, int denseFeatures, int features, double skew, long seed)
        implements Serializable {

    /** About a quarter of the samples are clicks. */
    private static final double OFFSET = -1.4;

    private static final double DENSE_SHARE = 0.8;
    private static final double EFFECT_SHARE = 1.2;

    private enum Purpose {
        DENSE,
        VALUE,
        LABEL,
        WEIGHT,
        EFFECT
    }

    /** @throws IllegalArgumentException if a table has fewer rows than features, or a number is out of range */
    public GeneratedClicks {
        if (denseFeatures < 1 || features < 1) {
            throw new IllegalArgumentException(
                    "a sample must have at least 1 dense number and 1 categorical value, got " + denseFeatures + " and "
                            + features);
        }
        for (int feature = 0; feature < features; feature++) {
            if (tables.rows(feature % tables.count()) < sharing(tables, features, feature)) {
                throw new IllegalArgumentException("a table must have at least a row for each of its features, got "
                        + features + " features for the tables " + tables);
            }
        }
        new PowerLaw(1, skew);
    }

    /** Shaped as {@link CriteoLogs}: 13 dense numbers and 26 categorical values, with a skew of 1.05. */
    public static GeneratedClicks likeCriteo(Tables tables, long seed) {
        return new GeneratedClicks(tables, CriteoLogs.DENSE, CriteoLogs.CATEGORICAL, 1.05, seed);
    }

    /**
     * Returns samples with consecutive numbers. Other numbers give other samples of the same hidden model, for example for
     * evaluation.
     *
     * @param from number of the first sample
     * @param to number after the last one
     */
    public Dataset<Row> samples(SparkSession session, long from, long to, int partitions) {
        MapFunction<Long, Row> make = number -> sample(number).toRow();
        return session.range(from, to, 1, partitions).map(make, Encoders.row(Samples.SCHEMA));
    }

    /** One sample. */
    Sample sample(long number) {
        float[] dense = new float[denseFeatures];
        for (int i = 0; i < denseFeatures; i++) {
            dense[i] = (float) CounterRandom.normal(stream(Purpose.DENSE, number), i);
        }
        long[] categorical = new long[features];
        for (int feature = 0; feature < features; feature++) {
            categorical[feature] = row(feature, CounterRandom.uniform(stream(Purpose.VALUE, number), feature));
        }
        boolean click = CounterRandom.uniform(stream(Purpose.LABEL, number), 0) < probability(dense, categorical);
        return new Sample(click ? 1 : 0, dense, categorical);
    }

    /** The true probability of a click; no model predicts better. */
    double probability(float[] dense, long[] categorical) {
        double logit = OFFSET;
        for (int i = 0; i < dense.length; i++) {
            double weight = CounterRandom.normal(stream(Purpose.WEIGHT, 0), i);
            logit += DENSE_SHARE / StrictMath.sqrt(dense.length) * weight * dense[i];
        }
        for (long row : categorical) {
            logit += EFFECT_SHARE / StrictMath.sqrt(categorical.length) * effect(row);
        }
        if (categorical.length > 1) {
            logit += effect(categorical[0]) * effect(categorical[1]);
        }
        return 1 / (1 + StrictMath.exp(-logit));
    }

    private double effect(long row) {
        return CounterRandom.normal(stream(Purpose.EFFECT, row), 0);
    }

    /** The row of a feature: the features of a table share out its rows. */
    private long row(int feature, double uniform) {
        int table = feature % tables.count();
        int sharing = sharing(tables, features, feature);
        int turn = feature / tables.count();
        long rows = tables.rows(table);
        long first = rows / sharing * turn + Math.min(turn, rows % sharing);
        long own = rows / sharing + (turn < rows % sharing ? 1 : 0);
        return tables.first(table) + first + new PowerLaw(own, skew).rank(uniform);
    }

    /** Features in the table of this one. */
    private static int sharing(Tables tables, int features, int feature) {
        int table = feature % tables.count();
        return (features - table + tables.count() - 1) / tables.count();
    }

    private long stream(Purpose purpose, long number) {
        return SplitMix64.key(seed, purpose.ordinal(), number);
    }
}
