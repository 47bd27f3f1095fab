/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.onnx;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtLoggingLevel;
import io.paritas.inference.DiskSpace;
import io.paritas.inference.ModelException;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/** ONNX Runtime's native library, loaded when somebody asks for it. */
final class Library {
    private static final String ENDING =
            "onnxruntime loads models until the JVM ends, and this one does: nothing is wrong with the model";

    /* Whether there was room for the library. */
    private static boolean hadRoom;

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
                keep();
            } catch (Exception | LinkageError e) {
                /* Not OrtException: this class must load without ONNX Runtime. */
                failure = e;
            }
            ENVIRONMENT = environment;
            FAILURE = failure;
        }

        /*
         * A shutdown hook of ONNX Runtime gives the environment back, and it is freed when all who have it have done so. A load that is
         * on its way then would end the JVM amid its hooks. So it is asked for once more; no public method does that a second time.
         */
        private static void keep() {
            try {
                Field api = Class.forName("ai.onnxruntime.OnnxRuntime").getDeclaredField("ortApiHandle");
                Method create =
                        OrtEnvironment.class.getDeclaredMethod("createHandle", long.class, int.class, String.class);
                api.setAccessible(true);
                create.setAccessible(true);
                create.invoke(null, api.getLong(null), OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING.getValue(), "paritas");
            } catch (ReflectiveOperationException | RuntimeException e) {
                LoggerFactory.getLogger(Library.class)
                        .debug("Paritas: this version of ONNX Runtime frees its environment when the JVM ends", e);
            }
        }
    }

    /** The reason why the library cannot be loaded; empty if it can. One that may pass, as a full disk, is found out anew. */
    static synchronized Optional<String> unavailable() {
        if (isEnding()) {
            return Optional.of(ENDING); // the library would not load: it adds a shutdown hook
        }
        return noRoom().or(() -> Optional.ofNullable(Loaded.FAILURE).map(Library::root))
                .map(failure -> "ONNX Runtime's library cannot be loaded (" + failure
                        + "): put com.microsoft.onnxruntime:onnxruntime for this system on the class path, and let"
                        + " java.io.tmpdir be a folder from which libraries can be loaded");
    }

    /**
     * ONNX Runtime unpacks the library as a class of it is initialised, which fails for good where there is no room, and hides why. So
     * room is looked for first, unless the library is elsewhere, or where nobody here knows it.
     */
    private static Optional<Throwable> noRoom() {
        if (hadRoom || System.getProperty("onnxruntime.native.path") != null) {
            return Optional.empty();
        }
        String file = System.mapLibraryName("onnxruntime");
        String system = file.endsWith(".so") ? "linux" : file.endsWith(".dll") ? "win" : "osx";
        String processor = System.getProperty("os.arch").replaceFirst("amd64|x86_64", "x64");
        URL library = Library.class
                .getClassLoader()
                .getResource("ai/onnxruntime/native/" + system + "-" + processor + "/" + file);
        try {
            if (library != null) {
                requireRoom(
                        Path.of(System.getProperty("java.io.tmpdir")),
                        library.openConnection().getContentLengthLong());
            }
            hadRoom = true;
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e);
        } catch (InvalidPathException e) {
            return Optional.of(new IOException(
                    "the locale of this JVM lacks letters of java.io.tmpdir, set LC_ALL=C.UTF-8: " + e.getMessage(),
                    e));
        }
    }

    /** @throws IOException if a folder takes no new file, or has not so many bytes left */
    static void requireRoom(Path folder, long bytes) throws IOException {
        Files.delete(Files.createTempFile(folder, "paritas-onnxruntime", ".tmp"));
        DiskSpace.require(folder, bytes);
    }

    /** The reason why no model can run on a GPU; empty if one can. */
    static Optional<String> cudaUnavailable() {
        Optional<String> refusal = unavailable();
        if (refusal.isPresent()) {
            return refusal;
        }
        return Cuda.unavailable();
    }

    /** The environment of all models of this JVM, until that has ended. Only for a library that is available. */
    static OrtEnvironment environment() {
        return Loaded.ENVIRONMENT;
    }

    /**
     * A load that begins when the JVM ends is for nothing. Where the environment cannot be kept, it would end the JVM before its shutdown
     * hooks have run.
     *
     * @throws ModelException if this JVM ends
     */
    static void requireLife() {
        if (isEnding()) {
            throw new ModelException(ENDING);
        }
    }

    /** Whether this JVM runs its shutdown hooks: it takes no other one then. */
    private static boolean isEnding() {
        Thread hook = new Thread(() -> {});
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            Runtime.getRuntime().removeShutdownHook(hook);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
