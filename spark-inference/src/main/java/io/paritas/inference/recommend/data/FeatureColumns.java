/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.format_number;
import static org.apache.spark.sql.functions.greatest;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.log1p;
import static org.apache.spark.sql.functions.raise_error;
import static org.apache.spark.sql.functions.translate;
import static org.apache.spark.sql.functions.unix_micros;
import static org.apache.spark.sql.functions.when;

import io.paritas.PublicApi;
import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.types.AtomicType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StructField;

/**
 * The columns of a table of clicks. Immutable.
 *
 * @param label column with 1 (or true) for a click and 0 for none
 * @param dense columns with numbers, which may be strings; a null is 0
 * @param categorical columns with categories, of any type that is not nested; a null is a category of its own. A category is the text
 *     of its value, but a timestamp is its microseconds since 1970; a timestamp without time zone is its text. The text of a decimal
 *     has all its digits. Each column has its own embedding table.
 * @param scale what is done to dense numbers
 */
@PublicApi
public record FeatureColumns(String label, List<String> dense, List<String> categorical, Scale scale)
        implements Serializable {
    private static final List<String> FEATURES = List.of("dense", "categorical");

    /** What is done to dense numbers. */
    @PublicApi
    public enum Scale {
        /** They are used as they are. */
        NONE,
        /** ln(1 + max(x, 0)), for counts: few samples then have very great numbers. */
        LOG
    }

    /** @throws IllegalArgumentException if there is no dense or no categorical column, or a column is named twice */
    public FeatureColumns {
        dense = List.copyOf(dense);
        categorical = List.copyOf(categorical);
        if (dense.isEmpty() || categorical.isEmpty()) {
            throw new IllegalArgumentException("at least 1 dense and 1 categorical column is needed, got dense columns "
                    + dense + " and categorical columns " + categorical);
        }
        Set<String> seen = new HashSet<>();
        Stream.of(List.of(label), dense, categorical).flatMap(List::stream).forEach(name -> {
            if (!seen.add(name)) {
                throw new IllegalArgumentException("a column must have one role, got '" + name + "' twice");
            }
        });
    }

    /** Criteo's columns: {@code label}, {@code I1} to {@code I13} with logarithms, {@code C1} to {@code C26}. */
    public static FeatureColumns criteo() {
        return new FeatureColumns(
                "label", numbered("I", CriteoLogs.DENSE), numbered("C", CriteoLogs.CATEGORICAL), Scale.LOG);
    }

    private static List<String> numbered(String prefix, int count) {
        return IntStream.rangeClosed(1, count).mapToObj(i -> prefix + i).toList();
    }

    /**
     * Checks that models can be trained with a table, and can predict it. It is not read.
     *
     * @throws IllegalArgumentException if a column is missing or has another type, or one has the name of a column that an encoding
     *     adds
     */
    public void check(Dataset<?> table) {
        label(table);
        dense(table);
        categorical(table);
        requireNoFeatures(table);
    }

    static void requireNoFeatures(Dataset<?> table) {
        for (String name : table.schema().fieldNames()) {
            if (FEATURES.stream().anyMatch(feature -> Samples.isSame(feature, name))) {
                throw new IllegalArgumentException(
                        "a table must not have the columns dense and categorical, which the encoding adds, got '" + name
                                + "': rename it");
            }
        }
    }

    /** The types of the categorical columns. */
    List<String> types(Dataset<?> table) {
        return categorical.stream().map(name -> type(table, name).sql()).toList();
    }

    /** All names: label, dense, categorical. */
    List<String> all() {
        return Stream.of(List.of(label), dense, categorical)
                .flatMap(List::stream)
                .toList();
    }

    /** The label as a float; a null stays one. */
    Column label(Dataset<?> table) {
        return number(table, label, lit(null).cast(DataTypes.FloatType));
    }

    /** The dense numbers as floats. */
    List<Column> dense(Dataset<?> table) {
        return dense.stream()
                .map(name -> number(table, name, lit(0)))
                .map(number -> scale == Scale.LOG ? log1p(greatest(number, lit(0))) : number)
                .map(number -> number.cast(DataTypes.FloatType))
                .toList();
    }

    /** The categories as strings, which may be null. */
    List<Column> categorical(Dataset<?> table) {
        return categorical.stream()
                .map(name -> {
                    if (!(type(table, name) instanceof AtomicType)) {
                        throw wrong(table, name, "a category that is not nested");
                    }
                    return text(table, name);
                })
                .toList();
    }

    /** The text of a timestamp would depend on the time zone of the session, and that of a small decimal on its ANSI mode. */
    private static Column text(Dataset<?> table, String name) {
        Column value = column(table, name);
        DataType type = type(table, name);
        if (type instanceof DecimalType decimal) {
            return translate(format_number(value, Math.max(0, decimal.scale())), ",", "");
        }
        boolean isTime = type.equals(DataTypes.TimestampType);
        return (isTime ? unix_micros(value) : value).cast(DataTypes.StringType);
    }

    private static Column number(Dataset<?> table, String name, Column missing) {
        DataType type = type(table, name);
        Column value = column(table, name);
        if (type instanceof NumericType || type.equals(DataTypes.BooleanType)) {
            return coalesce(value.cast(DataTypes.DoubleType), missing);
        }
        if (!type.equals(DataTypes.StringType)) {
            throw wrong(table, name, "a number");
        }
        Column problem = raise_error(concat(
                lit("column '" + name + "' must be a number in each row, got '"),
                value,
                lit("': correct such rows or filter them out")));
        return when(value.isNull(), missing)
                .otherwise(coalesce(value.try_cast(DataTypes.DoubleType), problem.cast(DataTypes.DoubleType)));
    }

    static Column column(Dataset<?> table, String name) {
        return table.col("`" + name.replace("`", "``") + "`");
    }

    private static DataType type(Dataset<?> table, String name) {
        return Stream.of(table.schema().fields())
                .filter(field -> field.name().equals(name))
                .findFirst()
                .map(StructField::dataType)
                .orElseThrow(() -> new IllegalArgumentException("the table must have the column '" + name
                        + "', it has " + String.join(", ", table.schema().fieldNames())
                        + ": name its columns (label, dense, categorical)"));
    }

    private static IllegalArgumentException wrong(Dataset<?> table, String name, String wanted) {
        return new IllegalArgumentException("column '" + name + "' must be " + wanted + ", got "
                + type(table, name).sql() + ": cast it");
    }
}
