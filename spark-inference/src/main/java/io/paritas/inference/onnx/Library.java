/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.onnx;

import ai.onnxruntime.OrtEnvironment;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** ONNX Runtime's native library, loaded when somebody asks for it. */
final class Library {
    /* As its library has on any system. */
    private static final int MEBIBYTES = 40;

    /* Whether there was room for the library. */
    private static volatile boolean hadRoom;

    private Library() {}

    /** What came of loading it, once for the life of the JVM. */
    private static final class Loaded {
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
    }

    /** The reason why the library cannot be loaded; empty if it can. One that may pass, as a full disk, is found out anew. */
    static Optional<String> unavailable() {
        return noRoom().or(() -> Optional.ofNullable(Loaded.FAILURE))
                .map(failure -> "ONNX Runtime's library cannot be loaded (" + root(failure)
                        + "): put com.microsoft.onnxruntime:onnxruntime for this system on the class path, and let"
                        + " java.io.tmpdir be a folder from which libraries can be loaded");
    }

    /** ONNX Runtime unpacks the library as a class of it is initialised, which fails for good where there is no room, and hides why. */
    private static Optional<Throwable> noRoom() {
        if (hadRoom) {
            return Optional.empty();
        }
        try {
            Path file = Files.createTempFile("paritas-onnxruntime", ".tmp");
            try (OutputStream out = Files.newOutputStream(file)) {
                byte[] mebibyte = new byte[1 << 20];
                for (int i = 0; i < MEBIBYTES; i++) {
                    out.write(mebibyte);
                }
            } finally {
                Files.delete(file);
            }
            hadRoom = true;
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e);
        }
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
        return Loaded.ENVIRONMENT;
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
