/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.onnx;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtProvider;
import ai.onnxruntime.OrtSession.SessionOptions;
import java.util.Optional;

/** ONNX Runtime's CUDA provider. Used only if the library can be loaded. */
final class Cuda {

    private Cuda() {}

    /** The reason why no model can run on a GPU; empty if one can. */
    static Optional<String> unavailable() {
        if (!OrtEnvironment.getAvailableProviders().contains(OrtProvider.CUDA)) {
            return Optional.of(
                    "this build of ONNX Runtime has no CUDA provider: put the artifact onnxruntime_gpu on the"
                            + " class path instead of onnxruntime");
        }
        try (SessionOptions options = new SessionOptions()) {
            options.addCUDA();
            return Optional.empty();
        } catch (OrtException e) {
            return Optional.of("ONNX Runtime's CUDA provider does not start (" + e.getMessage()
                    + "): install the CUDA and cuDNN that this version of onnxruntime_gpu wants, and check nvidia-smi");
        }
    }
}
