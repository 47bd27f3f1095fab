/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.apache.spark.sql.functions.abs;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.exists;
import static org.apache.spark.sql.functions.first;
import static org.apache.spark.sql.functions.isnan;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.size;
import static org.apache.spark.sql.functions.substring;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.when;

import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Looks for samples that would end a training when they are read, after hours.
 *
 * @param samples number of samples
 * @param clicks number of samples with the label 1
 */
public record SampleCheck(long samples, long clicks) {
    /** Characters of a column in a message. */
    private static final int SHOWN = 200;

    /** What is counted of samples; more columns may follow. */
    static final List<Column> FIGURES = figures(problem());

    /**
     * Reads samples once.
     *
     * @param samples samples with the columns of {@link Samples}
     * @param denseFeatures dense numbers of a sample
     * @param tables embedding tables, which bound the ids
     * @throws IllegalArgumentException if a sample is invalid, with one of them and how many there are
     */
    public static SampleCheck of(Dataset<?> samples, int denseFeatures, Tables tables) {
        Column problem = problem()
                .when(size(col("dense")).notEqual(denseFeatures), "it must have " + denseFeatures + " dense numbers")
                .when(
                        exists(col("categorical"), id -> id.geq(tables.rows())),
                        "its ids must be at most " + (tables.rows() - 1));
        return of(Samples.of(samples)
                .select(figures(problem).toArray(Column[]::new))
                .first());
    }

    /** @param figures a row that begins with {@link #FIGURES} */
    static SampleCheck of(Row figures) {
        if (figures.getLong(2) > 0) {
            throw new IllegalArgumentException(figures.getLong(2) + " of " + figures.getLong(0)
                    + " samples are invalid, such as " + figures.getString(3) + ": correct them or filter them out");
        }
        return new SampleCheck(figures.getLong(0), figures.isNullAt(1) ? 0 : (long) figures.getDouble(1));
    }

    private static List<Column> figures(Column problem) {
        return List.of(
                count(lit(1)),
                sum(col("label")),
                count(problem),
                first(when(problem.isNotNull(), concat(sample(), lit(", "), problem)), true));
    }

    /** What is wrong with a sample; null for most. */
    private static Column problem() {
        return when(col("label").isNull().or(not(col("label").isin(0, 1))), "its label must be 0 or 1")
                .when(
                        col("dense").isNull().or(exists(col("dense"), number -> not(isFinite(number)))),
                        "its dense numbers must be finite")
                .when(
                        col("categorical").isNull().or(exists(col("categorical"), id -> coalesce(id, lit(-1))
                                .lt(0))),
                        "its ids must be at least 0");
    }

    private static Column sample() {
        return concat(
                lit("label "),
                text(col("label")),
                lit(", dense "),
                text(col("dense")),
                lit(", categorical "),
                text(col("categorical")));
    }

    private static Column text(Column value) {
        return substring(coalesce(value.cast("string"), lit("null")), 1, SHOWN);
    }

    private static Column isFinite(Column number) {
        return coalesce(not(isnan(number)).and(abs(number).lt(Float.POSITIVE_INFINITY)), lit(false));
    }
}
