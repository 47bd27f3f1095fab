/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.data.Examples;
import io.paritas.inference.data.Inputs;
import io.paritas.inference.data.Predictions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * Logged queries of a service, and its predictions if they are logged, too: files of little-endian float32 values, row by row, with as
 * many values in a row as the model's input and output have. The last tenth of the rows is the test, the tenth before it is for validation.
 */
final class LoggedQueries {
    /* Rows of a log, spread over it, that are compared with what the model says. */
    private static final int COMPARED = 1_000;

    /* More than engines, devices and float16 differ, in largest values of the log. */
    private static final double DIFFERENCE = 0.01;

    private LoggedQueries() {}

    /** Reads a log. Without a file of predictions the model makes them; with one, rows of it are compared with what the model says. */
    static ExampleSplit read(Path queries, Optional<Path> predictions, Model model) throws IOException {
        CRC32C checksum = new CRC32C();
        Inputs inputs = Inputs.of(
                floats(queries, model.input(), checksum), model.input().shape());
        Predictions answers;
        if (predictions.isPresent()) {
            Path file = predictions.get();
            answers = Predictions.of(
                    floats(file, model.output(), checksum), model.output().size());
            requireSame(inputs.count(), queries, answers.count(), file);
            requireOf(model, inputs, answers, file);
        } else {
            answers = Predictions.of(model, inputs);
            answers.requireFinite();
        }
        int rows = inputs.count();
        int held = Math.max(1, rows / 10);
        return new ExampleSplit(
                part(inputs, answers, 0, rows - 2 * held),
                part(inputs, answers, rows - 2 * held, rows - held),
                part(inputs, answers, rows - held, rows),
                rows + " logged queries of " + queries + ", " + 2 * held
                        + " of them held back, with the CRC-32C "
                        + String.format(Locale.ROOT, "%08x", checksum.getValue()) + "; right is what the model said");
    }

    private static void requireSame(int rows, Path queries, int answers, Path predictions) {
        if (rows != answers) {
            throw new ModelException("there must be a prediction for every query, " + queries + " has " + rows
                    + " rows and " + predictions + " has " + answers);
        }
    }

    /** Accuracies and residuals would be those of another function if a log is of probabilities, say, or in another order. */
    private static void requireOf(Model model, Inputs queries, Predictions logged, Path file) {
        int count = Math.min(COMPARED, queries.count());
        int[] rows = IntStream.range(0, count)
                .map(row -> (int) ((long) row * queries.count() / count))
                .toArray();
        Predictions own = Predictions.of(model, Inputs.of(queries.rows(rows), queries.shape()));
        float[] said = logged.rows(rows);
        float largest = 0;
        for (float value : said) {
            largest = Math.max(largest, Math.abs(value));
        }
        for (int i = 0; i < said.length; i++) {
            int at = i % logged.size();
            float now = own.row(i / logged.size())[at];
            if (!(Math.abs(said[i] - now) <= DIFFERENCE * largest)) {
                throw new ModelException("the predictions must be those of this model, row " + rows[i / logged.size()]
                        + " of " + file + " has " + said[i] + " at position " + at
                        + ", both counted from 0, and the model says " + now
                        + ": log its own outputs, in the order of the queries, or leave --predictions out");
            }
        }
    }

    private static Examples part(Inputs inputs, Predictions answers, int from, int to) {
        if (to <= from) {
            throw new ModelException("logged queries are parted into three, and these are too few: log more");
        }
        int[] rows = IntStream.range(from, to).toArray();
        return new Examples(
                Inputs.of(inputs.rows(rows), inputs.shape()),
                Predictions.of(answers.rows(rows), answers.size()),
                Optional.empty());
    }

    private static float[] floats(Path file, TensorSpec row, CRC32C checksum) throws IOException {
        long bytes = Files.size(file);
        long rowBytes = (long) row.size() * Float.BYTES;
        if (bytes == 0 || bytes % rowBytes != 0 || bytes > Integer.MAX_VALUE) {
            throw new ModelException("a log for " + row + " must have whole rows of " + rowBytes + " bytes (float32,"
                    + " little-endian), below 2 GiB; " + file + " has " + bytes + " bytes");
        }
        byte[] content = Files.readAllBytes(file);
        checksum.update(content);
        float[] values = new float[content.length / Float.BYTES];
        ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        requireFinite(file, values, row.size());
        return values;
    }

    private static void requireFinite(Path file, float[] values, int size) {
        for (int i = 0; i < values.length; i++) {
            if (!Float.isFinite(values[i])) {
                throw new ModelException("every value of a log must be finite, row " + i / size + " of " + file
                        + " has "
                        + values[i] + " at position " + i % size + ", both counted from 0: leave that row out of both"
                        + " files");
            }
        }
    }
}
