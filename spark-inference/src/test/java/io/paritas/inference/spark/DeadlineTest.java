/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.OnError;
import java.time.Duration;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A task is late, no stripe is coded, and nobody waits. */
class DeadlineTest {
    private static final int LATE = 1;

    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    private static Dataset<Row> late(OnError onError) {
        Dataset<Row> answers = LOCAL.rows(100)
                .select(
                        col("id"),
                        Predict.coded(LOCAL.model(), col("x"))
                                .option(EngineSettings.BATCH_ROWS, 8)
                                .option(CodedSettings.SHARE, 0.0)
                                .option(CodedSettings.DEADLINE, Duration.ofMillis(1500))
                                .option(EngineSettings.ON_ERROR, onError)
                                .toColumn()
                                .as("answer"))
                .select("id", "answer.*");
        return answers.mapPartitions(
                (MapPartitionsFunction<Row, Row>) rows -> {
                    if (TaskContext.getPartitionId() == LATE
                            && TaskContext.get().attemptNumber() == 0) {
                        Thread.sleep(60_000);
                    }
                    return rows;
                },
                Encoders.row(answers.schema()));
    }

    @Test
    void itsRowsAreUnavailable() {
        List<Row> rows = late(OnError.COLUMN).collectAsList();
        assertThat(rows).hasSize(100);
        List<Row> unavailable = rows.stream()
                .filter(row -> row.getString(2).equals("unavailable"))
                .toList();
        assertThat(unavailable).isNotEmpty().hasSizeLessThan(50).allSatisfy(row -> {
            assertThat(row.isNullAt(1)).isTrue();
            assertThat(row.getString(3))
                    .isEqualTo("the deadline of 1.5 s has passed, and too little is predicted to reconstruct it");
        });
        rows.stream()
                .filter(row -> row.getString(2).equals("predicted"))
                .forEach(row -> assertThat(row.<Float>getList(1)).isEqualTo(LocalSession.expected(row.getLong(0))));
    }

    @Test
    void orTheQueryFails() {
        assertThatThrownBy(() -> late(OnError.FAIL).collectAsList())
                .hasStackTraceContaining("the deadline of 1.5 s has passed, and too little is predicted to reconstruct"
                        + " it: allow more time with the option deadline, or keep such rows without a prediction with"
                        + " onError=null or onError=column");
    }
}
