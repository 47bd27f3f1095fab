/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.paritas.inference.ModelException;
import io.paritas.inference.serving.ServedModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** A file with rows for a model: the JSON of a request for predictions, as a client sends it. */
public final class RowsFile {
    private RowsFile() {}

    /**
     * Reads the rows.
     *
     * @throws ModelException if the file cannot be read, or its rows do not fit the model
     */
    public static List<float[]> read(ServedModel model, Path file) {
        try {
            byte[] body = Files.readAllBytes(file);
            return InferRequest.read(ofAnyLength(model), body, body.length).rows();
        } catch (NoSuchFileException e) {
            throw new ModelException("there must be a file with rows at " + file + ", no such file is there", e);
        } catch (IOException e) {
            throw new ModelException("the rows in " + file + " cannot be read: " + e.getMessage(), e);
        } catch (Problem | IllegalArgumentException e) {
            throw new ModelException(
                    "the rows in " + file + " must be the JSON of a request for predictions by " + model + ": "
                            + e.getMessage(),
                    e);
        }
    }

    /** The same model for any number of rows: those of a file do not wait. */
    private static ServedModel ofAnyLength(ServedModel model) {
        return new ServedModel(
                model.name(),
                model.version(),
                model.input(),
                model.output(),
                model.policy(),
                model.limits().withWaiting(Integer.MAX_VALUE));
    }
}
