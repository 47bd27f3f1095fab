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
import java.util.Arrays;
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

    private final Path file;
    private final Model model;
    private final Inputs inputs;
    private final Optional<Predictions> logged;
    private final String checksums;
    /* Of the test, and as many for validation. */
    private final int held;

    private LoggedQueries(Path file, Model model, Inputs inputs, Optional<Predictions> logged, String checksums) {
        this.file = file;
        this.model = model;
        this.inputs = inputs;
        this.logged = logged;
        this.checksums = checksums;
        held = Math.max(1, inputs.count() / 10);
    }

    /** Reads a log. Without a file of predictions the model makes them; with one, rows of it are compared with what the model says. */
    static LoggedQueries read(Path queries, Optional<Path> predictions, Model model) throws IOException {
        Values asked = Values.read(queries, model.input());
        Inputs inputs = Inputs.of(asked.values, model.input().shape());
        if (inputs.count() < 3) {
            throw new ModelException("logged queries are parted into three, and these are too few: log more");
        }
        if (predictions.isEmpty()) {
            return new LoggedQueries(queries, model, inputs, Optional.empty(), asked.checksum);
        }
        Path file = predictions.get();
        Values said = Values.read(file, model.output());
        Predictions answers = Predictions.of(said.values, model.output().size());
        requireSame(inputs.count(), queries, answers.count(), file);
        requireOf(model, inputs, answers, file);
        return new LoggedQueries(
                queries,
                model,
                inputs,
                Optional.of(answers),
                asked.checksum + " and predictions with " + said.checksum);
    }

    /** All parts, for a training. */
    ExampleSplit split() {
        int rows = inputs.count();
        return new ExampleSplit(
                part(0, rows - 2 * held),
                part(rows - 2 * held, rows - held),
                part(rows - held, rows),
                rows + " logged queries of " + file + ", " + 2 * held + " of them held back, " + origin());
    }

    /** The test only. */
    ExampleOptions.Test test() {
        int rows = inputs.count();
        return new ExampleOptions.Test(
                part(rows - held, rows),
                "the last " + held + " of " + rows + " logged queries of " + file + ", " + origin());
    }

    private String origin() {
        return "with the CRC-32C " + checksums + "; right is what the model said";
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

    private Examples part(int from, int to) {
        int[] rows = IntStream.range(from, to).toArray();
        Inputs asked = Inputs.of(inputs.rows(rows), inputs.shape());
        Predictions answers =
                logged.map(all -> Predictions.of(all.rows(rows), all.size())).orElseGet(() -> predicted(asked, from));
        return new Examples(asked, answers, Optional.empty());
    }

    private Predictions predicted(Inputs asked, int from) {
        Predictions answers = Predictions.of(model, asked);
        for (int row = 0; row < answers.count(); row++) {
            requireFinite("every prediction must be finite, that for row ", from + row, file, answers.row(row));
        }
        return answers;
    }

    private static void requireFinite(String rule, int row, Path file, float... values) {
        for (int i = 0; i < values.length; i++) {
            if (!Float.isFinite(values[i])) {
                throw new ModelException(rule + row + " of " + file + " has " + values[i] + " at position " + i
                        + ", both counted from 0: leave that row out of every file of the log");
            }
        }
    }

    /**
     * A file of a log.
     *
     * @param checksum the CRC-32C of its bytes, as it is printed
     */
    private record Values(float[] values, String checksum) {

        static Values read(Path file, TensorSpec row) throws IOException {
            long bytes = Files.size(file);
            long rowBytes = (long) row.size() * Float.BYTES;
            if (bytes == 0 || bytes % rowBytes != 0 || bytes > Integer.MAX_VALUE) {
                throw new ModelException("a log for " + row + " must have whole rows of " + rowBytes
                        + " bytes (float32, little-endian), below 2 GiB; " + file + " has " + bytes + " bytes");
            }
            byte[] content = Files.readAllBytes(file);
            CRC32C checksum = new CRC32C();
            checksum.update(content);
            float[] values = new float[content.length / Float.BYTES];
            ByteBuffer.wrap(content)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asFloatBuffer()
                    .get(values);
            for (int i = 0; i < values.length; i += row.size()) {
                requireFinite(
                        "every value of a log must be finite, row ",
                        i / row.size(),
                        file,
                        Arrays.copyOfRange(values, i, i + row.size()));
            }
            return new Values(values, String.format(Locale.ROOT, "%08x", checksum.getValue()));
        }
    }
}
