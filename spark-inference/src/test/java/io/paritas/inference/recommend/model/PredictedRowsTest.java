/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.recommend.data.Tables;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class PredictedRowsTest {
    private static final DlrmShape SHAPE =
            new DlrmShape(1, List.of(2), Tables.of(10), 2, Interaction.CONCATENATION, List.of(2));

    private static final StructType PREDICTED =
            StructType.fromDDL("id BIGINT NOT NULL, logit FLOAT NOT NULL, probability FLOAT NOT NULL");

    /** Networks that are open. */
    private static final AtomicInteger OPEN = new AtomicInteger();

    /** A network that predicts how many are open. */
    private static final class Counted implements DenseNetwork {
        private boolean closed;

        Counted() {
            OPEN.incrementAndGet();
        }

        @Override
        public Result gradients(MiniBatch batch, float[] parameters, float[] pooled) {
            throw new UnsupportedOperationException("predictions need no gradients");
        }

        @Override
        public float[] logits(MiniBatch batch, float[] parameters, float[] pooled) {
            float[] logits = new float[batch.size()];
            Arrays.fill(logits, OPEN.get());
            return logits;
        }

        @Override
        public void close() {
            if (!closed) {
                OPEN.decrementAndGet();
            }
            closed = true;
        }
    }

    /** As of coalesce, which reads 20 partitions in one task. */
    @Test
    void aTaskOfManyPartitionsHasOneModelAtATime() {
        MapPartitionsFunction<Row, Row> predict =
                rows -> new PredictedRows(rows, new Dlrm(SHAPE, new Counted()), new float[SHAPE.parameterCount()]);
        Dataset<Row> samples = LocalSpark.session()
                .range(0, 100, 1, 20)
                .selectExpr(
                        "struct(id) AS columns",
                        "array(float(id)) AS dense",
                        "array(struct(0 AS place, id % 10 AS id, array(1f, 2f) AS row)) AS rows");
        MapFunction<Row, Float> logit = row -> row.getFloat(1);
        assertThat(samples.mapPartitions(predict, Encoders.row(PREDICTED))
                        .coalesce(1)
                        .map(logit, Encoders.FLOAT())
                        .collectAsList())
                .hasSize(100)
                .containsOnly(1f);
        assertThat(OPEN).hasValue(0);
    }
}
