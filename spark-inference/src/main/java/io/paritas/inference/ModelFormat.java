/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

/** The file formats of models. */
public enum ModelFormat {
    /** A graph of operators with its weights (protobuf); runs everywhere, and is what Paritas trains and writes. */
    ONNX(".onnx"),
    /** A program with its weights (zip), written by {@code torch.jit.save}. */
    TORCHSCRIPT(".pt");

    private final String suffix;

    ModelFormat(String suffix) {
        this.suffix = suffix;
    }

    /** Usual end of a file name, with the dot. */
    public String suffix() {
        return suffix;
    }
}
