/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;

/** The file formats of models. */
@PublicApi
public enum ModelFormat {
    /** A graph of operators with its weights (protobuf). All engines run it; Paritas trains and writes it. */
    ONNX(".onnx"),
    /** A program with its weights (zip), written by {@code torch.jit.save}. */
    TORCHSCRIPT(".pt");

    private final String suffix;

    ModelFormat(String suffix) {
        this.suffix = suffix;
    }

    /** The usual suffix of file names, with the dot. */
    public String suffix() {
        return suffix;
    }
}
