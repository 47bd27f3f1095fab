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
import java.util.zip.CRC32C;

/**
 * Logged queries and predictions of a service: two files of little-endian float32 values, row by row, with as many values in a row
 * as the model's input and output have. The last tenth of the rows is the test, the tenth before it is for validation.
 */
final class LoggedQueries {
    private LoggedQueries() {}

    static ExampleSplit read(Path queries, Path predictions, Model model) throws IOException {
        CRC32C checksum = new CRC32C();
        float[] inputs = floats(queries, model.input(), checksum);
        float[] outputs = floats(predictions, model.output(), checksum);
        int rows = inputs.length / model.input().size();
        int answers = outputs.length / model.output().size();
        if (rows != answers) {
            throw new ModelException("there must be a prediction for every query, " + queries + " has " + rows
                    + " rows and " + predictions + " has " + answers);
        }
        int held = Math.max(1, rows / 10);
        return new ExampleSplit(
                part(inputs, outputs, model, 0, rows - 2 * held),
                part(inputs, outputs, model, rows - 2 * held, rows - held),
                part(inputs, outputs, model, rows - held, rows),
                rows + " logged queries of " + queries + ", " + 2 * held
                        + " of them held back, with the CRC-32C "
                        + String.format(Locale.ROOT, "%08x", checksum.getValue()) + "; right is what the model said");
    }

    private static Examples part(float[] inputs, float[] outputs, Model model, int from, int to) {
        if (to <= from) {
            throw new ModelException("logged queries are parted into three, and these are too few: log more");
        }
        int in = model.input().size();
        int out = model.output().size();
        return new Examples(
                Inputs.of(
                        Arrays.copyOfRange(inputs, from * in, to * in),
                        model.input().shape()),
                Predictions.of(Arrays.copyOfRange(outputs, from * out, to * out), out),
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
