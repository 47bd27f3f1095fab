/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.PublicApi;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.parity.GroupEncoder;
import io.paritas.inference.serving.Code;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.http.RowsFile;
import java.io.Serializable;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The rows that each instance predicts before it takes queries, so that its first query is as fast as the others: those of the user, or
 * zeros. Instances of parity models predict what is encoded of them. Immutable.
 */
@PublicApi
public final class WarmUp implements Serializable {
    /** The name of the file beside a model that has rows for it. */
    public static final String FILE = "warmup.json";

    /** One row of zeros; on GPUs, as many as there are in batches of all sizes. */
    public static final WarmUp ZEROS = new WarmUp(new float[0][]);

    private static final long serialVersionUID = 1;

    private final float[][] rows;

    WarmUp(float[][] rows) {
        this.rows = rows;
    }

    /**
     * The rows in a file, or in {@value #FILE} beside the model if that is there.
     *
     * @param given path of the file; empty for that beside the model
     * @param path of the model
     * @throws ModelException if there is no such file, or its rows do not fit the model
     */
    static WarmUp of(String given, Path path, ServedModel model) {
        Path file = given.isEmpty() ? path.resolveSibling(FILE) : Path.of(given);
        if (given.isEmpty() && !Files.exists(file)) {
            return ZEROS;
        }
        return new WarmUp(RowsFile.read(model, file).toArray(float[][]::new));
    }

    /** How many rows the user gave. */
    public int rows() {
        return rows.length;
    }

    /**
     * Predicts the rows: one by one, and then as many at once as an instance may get.
     *
     * @throws ModelException if the model cannot predict one
     */
    void run(Model model, Role role, ServedModel served) {
        List<float[]> inputs = inputs(role, served.policy());
        if (inputs.isEmpty()) {
            zeros(model, served.limits().batch());
            return;
        }
        for (int row = 0; row < inputs.size(); row++) {
            try {
                predict(model, inputs.subList(row, row + 1));
            } catch (RuntimeException e) {
                throw new ModelException(
                        "the " + role + " model of " + served + " cannot predict row " + row + " of its warm-up: "
                                + e.getMessage(),
                        e);
            }
        }
        int most = Math.min(served.limits().batch(), inputs.size());
        for (int row = 0; most > 1 && row < inputs.size(); row += most) {
            predict(model, inputs.subList(row, Math.min(row + most, inputs.size())));
        }
    }

    /**
     * A GPU has memory and kernels for the next larger power of two of rows, and replays the second batch of such a size as a graph. It
     * frees all when it needs more memory, so the largest is the first.
     */
    private static void zeros(Model model, int batch) {
        float[] row = new float[model.input().size()];
        if (model.device() != Device.CUDA) {
            model.predict(row);
            return;
        }
        for (int rows = batch; rows > 0; rows = Integer.highestOneBit(rows - 1)) {
            predict(model, Collections.nCopies(rows, row));
            predict(model, Collections.nCopies(rows, row));
        }
    }

    private static void predict(Model model, List<float[]> inputs) {
        FloatBuffer values = Model.direct(inputs.size() * model.input().size());
        inputs.forEach(values::put);
        FloatBuffer outputs =
                Model.direct(Math.multiplyExact(inputs.size(), model.output().size()));
        model.predict(inputs.size(), values.flip(), outputs);
    }

    /** What a model of that role predicts: the rows, or the parity queries of groups of them. */
    List<float[]> inputs(Role role, Policy policy) {
        List<float[]> all = Arrays.asList(rows);
        if (role.kind() != Role.Kind.PARITY || !(policy instanceof Policy.Coded coded)) {
            return all;
        }
        Code code = coded.code();
        if (!code.plan().networks().isEmpty()) {
            return all; // the deployed model answers parity queries, and the networks are not here
        }
        GroupEncoder encoder = code.encoder();
        List<float[]> parities = new ArrayList<>();
        for (int first = 0; first < rows.length; first += code.k()) {
            List<float[]> group = all.subList(first, Math.min(first + code.k(), rows.length));
            parities.add(encoder.encode(group, role.number()));
        }
        return parities;
    }

    @Override
    public String toString() {
        return rows.length == 0 ? "zeros" : rows.length + " rows";
    }
}
