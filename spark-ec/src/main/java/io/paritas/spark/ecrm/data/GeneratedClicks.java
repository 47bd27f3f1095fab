/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.data;

import java.io.Serializable;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Samples that are made up: a few rows of the embedding tables are in most samples, most rows in few, as in click logs; and
 * labels follow a hidden model, so that there is something to learn.
 *
 * <p>Each sample is a function of the seed and its number, whatever the partitions. Each feature has a part of its table's rows,
 * the most frequent ones first: feature f belongs to table f mod (number of tables). The hidden logit is a sum of an offset,
 * of the dense numbers (standard normal) with weights, and of an effect of each categorical row; the product of the effects of
 * the first two features is added, which no sum over features can express. Immutable.
 *
 * @param tables the embedding tables
 * @param denseFeatures dense numbers of a sample
 * @param features categorical values of a sample
 * @param skew how unequally frequent the values are: the i-th has a share of about i^-skew
 * @param seed of everything
 */
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
                    "A sample has dense numbers and categorical values, at least one of each;" + " got " + denseFeatures
                            + " and " + features);
        }
        for (int feature = 0; feature < features; feature++) {
            if (tables.rows(feature % tables.count()) < sharing(tables, features, feature)) {
                throw new IllegalArgumentException(
                        "A table has at least a row for each feature that belongs to it; got " + features
                                + " features for the tables " + tables);
            }
        }
        new PowerLaw(1, skew);
    }

    /** Shaped as {@link CriteoLogs}: 13 dense numbers and 26 categorical values, with a skew of 1.05. */
    public static GeneratedClicks likeCriteo(Tables tables, long seed) {
        return new GeneratedClicks(tables, CriteoLogs.DENSE, CriteoLogs.CATEGORICAL, 1.05, seed);
    }

    /**
     * Samples with consecutive numbers. Other numbers give other samples of the same hidden model, for example to evaluate on.
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

    /** How likely a click is in truth: no model predicts better. */
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

    /** Of the rows that are shared out among the features of a table, this one's. */
    private long row(int feature, double uniform) {
        int table = feature % tables.count();
        int sharing = sharing(tables, features, feature);
        int turn = feature / tables.count();
        long rows = tables.rows(table);
        long first = rows / sharing * turn + Math.min(turn, rows % sharing);
        long own = rows / sharing + (turn < rows % sharing ? 1 : 0);
        return tables.first(table) + first + new PowerLaw(own, skew).rank(uniform);
    }

    /** How many features belong to the table of this one. */
    private static int sharing(Tables tables, int features, int feature) {
        int table = feature % tables.count();
        return (features - table + tables.count() - 1) / tables.count();
    }

    private long stream(Purpose purpose, long number) {
        return CounterRandom.key(seed, purpose.ordinal(), number);
    }
}
