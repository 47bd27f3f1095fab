/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.fuzz;

import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.NetworkSummary;

/** An ONNX model, as {@code paritas inspect} reads it: nothing of it reaches native code. */
public final class OnnxFuzz {
    private static final int FLOAT_BYTES = 4;

    private OnnxFuzz() {}

    public static void fuzzerTestOneInput(byte[] bytes) {
        try {
            NetworkSummary.of(Graph.of(ModelFile.of(bytes)), 1, FLOAT_BYTES);
        } catch (ModelException e) {
            // refused
        }
    }
}
