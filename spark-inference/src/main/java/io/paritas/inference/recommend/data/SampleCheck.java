/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.apache.spark.sql.functions.abs;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.exists;
import static org.apache.spark.sql.functions.filter;
import static org.apache.spark.sql.functions.isnan;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.raise_error;
import static org.apache.spark.sql.functions.size;
import static org.apache.spark.sql.functions.substring;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.try_element_at;
import static org.apache.spark.sql.functions.when;

import java.util.List;
import java.util.function.Function;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataTypes;

/**
 * Refuses samples that would end a training, when they are read: else after hours.
 *
 * @param samples number of samples
 * @param clicks number of samples with the label 1
 */
public record SampleCheck(long samples, long clicks) {
    /** Characters of a column in a message. */
    private static final int SHOWN = 200;

    private static final String RAISED = "USER_RAISED_EXCEPTION";

    /** What is counted of samples; more columns may follow. */
    static final List<Column> FIGURES = List.of(count(lit(1)), sum(col("label")));

    /**
     * Reads samples once.
     *
     * @param samples samples with the columns of {@link Samples}
     * @param denseFeatures dense numbers of a sample
     * @param tables embedding tables, which bound the ids
     * @throws IllegalArgumentException if a sample is invalid; the message shows it
     */
    public static SampleCheck of(Dataset<?> samples, int denseFeatures, Tables tables) {
        return of(read(checked(samples, problem(denseFeatures, tables)), FIGURES));
    }

    /** @param figures a row that begins with {@link #FIGURES} */
    static SampleCheck of(Row figures) {
        return new SampleCheck(figures.getLong(0), figures.isNullAt(1) ? 0 : (long) figures.getDouble(1));
    }

    /** Samples, of which reading an invalid one fails. */
    static Dataset<Row> checked(Dataset<?> samples, Column problem) {
        Column refused = raise_error(concat(
                lit("a sample is invalid, label "),
                text(col("label")),
                lit(", dense "),
                text(col("dense")),
                lit(", categorical "),
                text(col("categorical")),
                lit(": "),
                problem,
                lit(": correct such samples or filter them out")));
        return Samples.of(samples)
                .withColumn("label", when(problem.isNull(), col("label")).otherwise(refused.cast(DataTypes.FloatType)));
    }

    /**
     * Computes aggregates of samples that are {@link #checked}.
     *
     * @throws IllegalArgumentException if one is invalid, or another expression of theirs raises an error
     */
    static Row read(Dataset<Row> samples, List<Column> figures) {
        try {
            return samples.select(figures.toArray(Column[]::new)).first();
        } catch (Exception e) { // Spark throws checked exceptions that it does not declare
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof SparkThrowable raised && RAISED.equals(raised.getCondition())) {
                    throw new IllegalArgumentException(
                            raised.getMessageParameters().get("errorMessage"), e);
                }
            }
            throw e;
        }
    }

    /** What is wrong with a sample; null for most. */
    static Column problem() {
        return problem(lit("its ids must be at least 0, got "), id -> id.lt(0));
    }

    /** The same, for samples of a model. */
    static Column problem(int denseFeatures, Tables tables) {
        return problem(lit("its ids must be 0 to " + (tables.rows() - 1) + ", got "), id -> id.lt(0)
                        .or(id.geq(tables.rows())))
                .when(
                        size(col("dense")).notEqual(denseFeatures),
                        concat(
                                lit("it must have " + denseFeatures + " dense numbers, got "),
                                size(col("dense")).cast("string")));
    }

    private static Column problem(Column ids, Function<Column, Column> isNoId) {
        return when(
                        col("label").isNull().or(not(col("label").isin(0, 1))),
                        concat(lit("its label must be 0 or 1, got "), text(col("label"))))
                .when(
                        col("dense").isNull().or(exists(col("dense"), number -> not(isFinite(number)))),
                        concat(
                                lit("its dense numbers must be finite, got "),
                                firstOf(col("dense"), number -> not(isFinite(number)))))
                .when(
                        col("categorical").isNull().or(exists(col("categorical"), id -> isWrong(id, isNoId))),
                        concat(ids, firstOf(col("categorical"), id -> isWrong(id, isNoId))));
    }

    private static Column isWrong(Column id, Function<Column, Column> isNoId) {
        return id.isNull().or(isNoId.apply(id));
    }

    private static Column firstOf(Column values, Function<Column, Column> which) {
        return text(try_element_at(filter(values, which::apply), lit(1)));
    }

    private static Column text(Column value) {
        return substring(coalesce(value.cast("string"), lit("null")), 1, SHOWN);
    }

    private static Column isFinite(Column number) {
        return coalesce(not(isnan(number)).and(abs(number).lt(Float.POSITIVE_INFINITY)), lit(false));
    }
}
