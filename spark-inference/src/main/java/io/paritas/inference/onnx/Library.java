/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.onnx;

import ai.onnxruntime.OrtEnvironment;
import java.util.Optional;

/** ONNX Runtime's native library: this class is initialised, and the library loaded, when someone first asks for it. */
final class Library {
    private static final OrtEnvironment ENVIRONMENT;
    private static final Throwable FAILURE;

    static {
        OrtEnvironment environment = null;
        Throwable failure = null;
        try {
            environment = OrtEnvironment.getEnvironment();
            /* Off in what we build with; a newer version on the class path would send data about the machine. */
            environment.setTelemetry(false);
        } catch (Exception | LinkageError e) {
            /* Not OrtException: to catch it, this class would have to find it. */
            failure = e;
        }
        ENVIRONMENT = environment;
        FAILURE = failure;
    }

    private Library() {}

    /** Why nothing runs, if so. */
    static Optional<String> unavailable() {
        return Optional.ofNullable(FAILURE)
                .map(failure -> "ONNX Runtime's library cannot be loaded (" + root(failure)
                        + "): put com.microsoft.onnxruntime:onnxruntime for this system on the class path, and let"
                        + " java.io.tmpdir be a folder from which libraries can be loaded");
    }

    /** Why nothing runs on a GPU, if so. */
    static Optional<String> cudaUnavailable() {
        Optional<String> refusal = unavailable();
        if (refusal.isPresent()) {
            return refusal;
        }
        return Cuda.unavailable();
    }

    /** The environment that all models of this JVM share; never closed. Only asked for when available. */
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
