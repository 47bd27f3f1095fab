/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_list;
import static org.apache.spark.sql.functions.first;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.monotonically_increasing_id;
import static org.apache.spark.sql.functions.posexplode_outer;
import static org.apache.spark.sql.functions.sort_array;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.when;

import io.paritas.inference.recommend.data.Samples;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.RowOrdering;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Joins samples with their embedding rows and computes the predictions of a model. Samples are exploded into their ids, which
 * are joined with the rows and grouped by sample again.
 */
final class Prediction {
    private static final List<String> RESULTS = List.of("logit", "probability");
    /** In the place of a null, which is no list without ids: an id that is null, which is refused. */
    private static final Column NO_ARRAY = array(lit(null).cast(DataTypes.LongType));

    private final TrainedModel model;

    Prediction(TrainedModel model) {
        this.model = model;
    }

    /** The columns of samples, and of their predictions. */
    static StructType predicted(String what, StructType schema) {
        if (Stream.of(schema.fieldNames())
                .anyMatch(name -> RESULTS.stream().anyMatch(result -> Samples.isSame(result, name)))) {
            throw new IllegalArgumentException(what + " must not have the columns " + RESULTS + " of predictions, got "
                    + String.join(", ", schema.fieldNames()) + ": rename or drop them");
        }
        StructType predicted = schema;
        for (String result : RESULTS) {
            predicted = predicted.add(result, DataTypes.FloatType, false);
        }
        return predicted;
    }

    Dataset<Row> of(Dataset<?> samples) {
        StructType schema = predicted("samples", samples.schema());
        DlrmShape shape = model.shape();
        Broadcast<float[]> network = JavaSparkContext.fromSparkContext(
                        samples.sparkSession().sparkContext())
                .broadcast(model.network());
        MapPartitionsFunction<Row, Row> predict = rows -> new PredictedRows(rows, Dlrm.open(shape, 1), network.value());
        return joined(samples).mapPartitions(predict, Encoders.row(schema));
    }

    /**
     * Sorts each partition, so that a sample has the same number when the partition is computed again: what comes from an exchange may
     * come in another order then, and samples would be lost and doubled. Samples that differ only in maps stay as they come.
     */
    private static Dataset<Row> inStableOrder(Dataset<Row> samples) {
        StructType own = (StructType) samples.schema().apply("columns").dataType();
        if (RowOrdering.isOrderable(own)) {
            return samples.sortWithinPartitions("columns");
        }
        return samples.sortWithinPartitions(Stream.of(own.fields())
                .filter(field -> RowOrdering.isOrderable(field.dataType()) && isTheOnly(field.name(), own))
                .map(field -> col("columns").getField(field.name()))
                .toArray(Column[]::new));
    }

    private static boolean isTheOnly(String name, StructType schema) {
        return Stream.of(schema.fieldNames()).filter(name::equalsIgnoreCase).count() == 1;
    }

    /** The columns of {@link PredictedRows}. */
    private Dataset<Row> joined(Dataset<?> samples) {
        Dataset<Row> sorted = inStableOrder(samples.select(
                struct(col("*")).as("columns"),
                Samples.column(samples, "dense"),
                Samples.column(samples, "categorical")));
        Dataset<Row> numbered = sorted.select(
                monotonically_increasing_id().as("sample"), col("columns"), col("dense"), col("categorical"));
        /* A step of its own: beside an explode, monotonically_increasing_id would number the exploded rows. */
        Dataset<Row> ids = numbered.select(
                col("sample"),
                col("columns"),
                col("dense"),
                posexplode_outer(coalesce(col("categorical"), NO_ARRAY)).as(new String[] {"place", "id"}));
        var once = col("place").isNull().or(col("place").equalTo(0));
        return ids.withColumn("columns", when(once, col("columns")))
                .withColumn("dense", when(once, col("dense")))
                .join(model.rows().withColumnRenamed("id", "row_id"), col("id").equalTo(col("row_id")), "left_outer")
                .groupBy("sample")
                .agg(
                        first("columns", true).as("columns"),
                        first("dense", true).as("dense"),
                        sort_array(collect_list(
                                        when(col("place").isNotNull(), struct(col("place"), col("id"), col("row")))))
                                .as("rows"))
                .select("columns", "dense", "rows");
    }
}
