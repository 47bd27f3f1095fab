/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.onnx;

import ai.onnxruntime.OrtEnvironment;
import java.util.Optional;

/** ONNX Runtime's native library, loaded when this class is initialised. */
final class Library {
    private static final OrtEnvironment ENVIRONMENT;
    private static final Throwable FAILURE;

    static {
        OrtEnvironment environment = null;
        Throwable failure = null;
        try {
            environment = OrtEnvironment.getEnvironment();
            /* Off by default in this version; a newer one on the class path could send data about the machine. */
            environment.setTelemetry(false);
        } catch (Exception | LinkageError e) {
            /* Not OrtException: this class must load without ONNX Runtime. */
            failure = e;
        }
        ENVIRONMENT = environment;
        FAILURE = failure;
    }

    private Library() {}

    /** The reason why the library cannot be loaded; empty if it can. */
    static Optional<String> unavailable() {
        return Optional.ofNullable(FAILURE)
                .map(failure -> "ONNX Runtime's library cannot be loaded (" + root(failure)
                        + "): put com.microsoft.onnxruntime:onnxruntime for this system on the class path, and let"
                        + " java.io.tmpdir be a folder from which libraries can be loaded");
    }

    /** The reason why no model can run on a GPU; empty if one can. */
    static Optional<String> cudaUnavailable() {
        Optional<String> refusal = unavailable();
        if (refusal.isPresent()) {
            return refusal;
        }
        return Cuda.unavailable();
    }

    /** The environment of all models of this JVM, never closed. Only for a library that is available. */
    static OrtEnvironment environment() {
        return ENVIRONMENT;
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
