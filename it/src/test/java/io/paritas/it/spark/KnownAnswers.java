/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.ModelFile;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.Predict;
import io.paritas.inference.spark.settings.EngineSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Coded predictions that are known without the model, for rows {@code id, x}: x follows from id.
 *
 * @param path of the model
 * @param offset that reconstructed predictions have
 */
record KnownAnswers(Path path, float offset) {
    static final int BATCH_ROWS = 4;

    /** Of an input. */
    static final List<Integer> SHAPE = List.of(3);

    private static final ExactModel MODEL = ExactModel.of(3, 2, 1);

    /** The expression that makes the input of an id. */
    static final String INPUT = "array(float(id % 5), float(id % 3), float(id % 7)) AS x";

    /** Reconstructions are exact, of r segments of k + r at the same time. */
    static KnownAnswers exact(Path folder, int k, int r) {
        Path own = folder(folder, "exact-" + k + "-" + r);
        MODEL.parity(k, r, Map.of()).write(own);
        return new KnownAnswers(MODEL.write(own), 0);
    }

    /** Reconstructions are off by an offset, of one segment of k + 1, where the groups are full. */
    static KnownAnswers offset(Path folder, int k) {
        Path own = folder(folder, "offset-" + k);
        MODEL.wrongParity(k, 1, Map.of()).write(own);
        return new KnownAnswers(MODEL.write(own), ExactModel.OFFSET);
    }

    /** As {@link #offset}, by a learned code: the offset is that of its decoder network. */
    static KnownAnswers learned(Path folder, int k) {
        Path own = folder(folder, "learned-" + k);
        MODEL.learned(k, ExactModel.OFFSET).write(own);
        MODEL.forImages().write(own.resolve("model.onnx"));
        return new KnownAnswers(own.resolve("model.onnx"), ExactModel.OFFSET);
    }

    /** As {@link #exact}, of a model that gets too little memory for every batch with a value above a limit. */
    static KnownAnswers greedy(Path folder, int k, float limit) {
        Path own = folder(folder, "greedy-" + k);
        ModelFile model = MODEL.greedy(limit);
        MODEL.parityOf(model, k, 1).write(own);
        model.write(own.resolve("model.onnx"));
        return new KnownAnswers(own.resolve("model.onnx"), 0);
    }

    /** What the model predicts. */
    static float[] predict(float[] input) {
        return MODEL.predict(input);
    }

    /** Replaces a model by another one. */
    static void other(Path path) {
        ExactModel.of(3, 2, 2).file().write(path);
    }

    private static Path folder(Path parent, String name) {
        try {
            return Files.createDirectories(parent.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Rows with the ids from 0, in equal partitions. */
    static Dataset<Row> rows(SparkSession session, int count, int partitions) {
        return withInput(session.range(0, count, 1, partitions).toDF());
    }

    /** Adds the input to ids. */
    static Dataset<Row> withInput(Dataset<Row> ids) {
        return ids.selectExpr("id", INPUT);
    }

    /** The call. */
    Predict predict() {
        return Predict.coded(path.toString(), col("x")).option(EngineSettings.BATCH_ROWS, BATCH_ROWS);
    }

    /** The columns {@code id, prediction, outcome}. */
    Dataset<Row> of(Dataset<Row> rows) {
        return of(rows, predict());
    }

    /** The same, by another call. */
    Dataset<Row> of(Dataset<Row> rows, Predict call) {
        return rows.select(col("id"), call.toColumn().as("answer")).select("id", "answer.*");
    }

    /** The same, though tasks are hit. */
    Dataset<Row> of(Dataset<Row> rows, Faults faults) {
        return of(rows, predict(), faults);
    }

    /** The same, by another call. */
    Dataset<Row> of(Dataset<Row> rows, Predict call, Faults faults) {
        Dataset<Row> answers = of(rows, call);
        return answers.mapPartitions(faults, Encoders.row(answers.schema()));
    }

    /** Checks that the ids from 0 are answered, each once and right; returns those that were reconstructed. */
    List<Long> check(List<Row> answers, int count) {
        boolean[] seen = new boolean[count];
        List<Long> reconstructed = new ArrayList<>();
        for (Row answer : answers) {
            long id = answer.getLong(0);
            boolean coded = answer.getString(2).equals("reconstructed");
            float[] expected = MODEL.predict(new float[] {id % 5, id % 3, id % 7});
            float off = coded ? offset : 0;
            assertThat(answer.<Float>getList(1)).as("%s", answer).hasSize(expected.length);
            for (int i = 0; i < expected.length; i++) {
                // Two that are lost are the solution of two equations, to the last bits.
                assertThat(answer.<Float>getList(1).get(i))
                        .as("value %s of %s", i, answer)
                        .isCloseTo(expected[i] + off, within(coded ? 1e-4f : 0));
            }
            assertThat(answer.getString(2)).isIn("predicted", "reconstructed");
            assertThat(seen[(int) id])
                    .as("%s is another answer to row %s", answer, id)
                    .isFalse();
            seen[(int) id] = true;
            if (coded) {
                reconstructed.add(id);
            }
        }
        assertThat(answers).hasSize(count);
        return reconstructed;
    }
}
