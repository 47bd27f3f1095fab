/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Datasets of samples, with the columns
 *
 * <ul>
 *   <li>{@code label}, a number: 1 for a click, 0 for none;
 *   <li>{@code dense}, an array of numbers, of one length in all rows;
 *   <li>{@code categorical}, an array of whole numbers: the ids of any number of embedding rows, as {@link Tables} counts them.
 *       A table may have several.
 * </ul>
 *
 * Other columns are ignored.
 */
public final class Samples {
    /** The columns that the readers of this package return. */
    public static final StructType SCHEMA =
            StructType.fromDDL("label FLOAT NOT NULL, dense ARRAY<FLOAT> NOT NULL, categorical ARRAY<BIGINT> NOT NULL");

    private Samples() {}

    /**
     * The three columns of a Dataset, converted to {@code float}, {@code array<float>} and {@code array<bigint>}.
     *
     * @throws IllegalArgumentException if a column is missing or has another type
     */
    public static Dataset<Row> of(Dataset<?> rows) {
        return rows.select(
                Stream.of(SCHEMA.fields()).map(wanted -> column(rows, wanted)).toArray(Column[]::new));
    }

    /** The same in Spark's internal form, for {@link MiniBatches}. */
    public static RDD<InternalRow> internalRows(Dataset<?> rows) {
        return of(rows).queryExecution().toRdd();
    }

    /**
     * One of the three columns, converted.
     *
     * @throws IllegalArgumentException if it is missing or has another type
     */
    public static Column column(Dataset<?> rows, String name) {
        return column(rows, SCHEMA.apply(name));
    }

    /** Whether SQL takes two names of columns for the same. */
    public static boolean isSame(String name, String other) {
        return SQLConf.get().caseSensitiveAnalysis() ? name.equals(other) : name.equalsIgnoreCase(other);
    }

    private static Column column(Dataset<?> rows, StructField wanted) {
        Optional<StructField> found = Stream.of(rows.schema().fields())
                .filter(field -> field.name().equals(wanted.name()))
                .findFirst();
        String type = found.map(field -> field.dataType().sql()).orElse("missing");
        if (found.isEmpty() || !fits(found.get().dataType(), wanted.dataType())) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "samples must have the columns label (a number), dense (an array of numbers) and categorical (an array of"
                            + " whole numbers), %s is %s: select it under that name, or cast it",
                    wanted.name(),
                    type));
        }
        return functions.col(wanted.name()).cast(wanted.dataType()).as(wanted.name());
    }

    private static boolean fits(DataType found, DataType wanted) {
        if (wanted instanceof ArrayType array) {
            return found instanceof ArrayType given && fits(given.elementType(), array.elementType());
        }
        boolean whole =
                Stream.of("bigint", "int", "smallint", "tinyint").anyMatch(name -> name.equals(found.catalogString()));
        return wanted.catalogString().equals("bigint") ? whole : found instanceof NumericType;
    }
}
