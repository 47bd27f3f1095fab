/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import java.util.Optional;
import java.util.function.Supplier;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.Context;
import org.bytedeco.pytorch.global.torch;

/** The native library: whether it works here, and its settings, which are the process's. */
public final class LibTorch {

    private LibTorch() {}

    /** Why LibTorch cannot use a device here; empty if it can. Loads the library, which takes seconds the first time. */
    public static Optional<String> unavailable(Device device) {
        if (Loaded.FAILURE != null) {
            return Optional.of(
                    "LibTorch does not load here: " + Loaded.FAILURE
                            + " (it needs glibc 2.35 or newer on Linux x86-64, or macOS on ARM, or Windows;"
                            + " and about 450 MB for its libraries in ~/.javacpp, or where -Dorg.bytedeco.javacpp.cachedir says)");
        }
        if (device == Device.CUDA && !torch.cuda_is_available()) {
            return Optional.of("LibTorch finds no CUDA device: it needs a GPU, its driver, and the artifact"
                    + " org.bytedeco:pytorch with a -gpu classifier in place of the one for CPUs");
        }
        return Optional.empty();
    }

    /** @throws ModelException if LibTorch cannot use a device here */
    static void require(Device device) {
        unavailable(device).ifPresent(reason -> {
            throw new ModelException(reason);
        });
    }

    /**
     * Loads the library and sets how many threads one operation uses when the calling thread asks for it.
     *
     * @return {@link Device#CPU} or {@link Device#CUDA}: the device wanted, and for {@link Device#AUTO} the better one that
     *     works
     * @throws ModelException if the device does not work here
     */
    public static Device start(Device wanted, int threads) {
        require(wanted);
        threads(threads);
        if (wanted == Device.AUTO) {
            return unavailable(Device.CUDA).isEmpty() ? Device.CUDA : Device.CPU;
        }
        return wanted;
    }

    /**
     * How many threads an operation uses that the calling thread asks for. LibTorch (with OpenMP) keeps this number for each
     * thread; one that never set it has the number that was last set by any.
     */
    static void threads(int count) {
        if (torch.get_num_threads() != count) {
            torch.set_num_threads(count);
        }
    }

    /** What went wrong in C++: the last error's message, without stack traces. */
    static String reason(RuntimeException failure) {
        String message = String.valueOf(failure.getMessage());
        int trace = message.indexOf("Exception raised from ");
        String text = trace < 0 ? message : message.substring(0, trace);
        int error = text.lastIndexOf("Error: ");
        return text.substring(error < 0 ? 0 : error + "Error: ".length()).strip();
    }

    /**
     * Runs work in which numbers below 2^-126 count as zero. A network that has learned all there is has gradients that
     * small, and processors take a hundred times as long for them. It holds for this thread, and Java wants it undone.
     */
    static <T> T withoutDenormals(Supplier<T> work) {
        boolean set = Context.setFlushDenormal(true);
        try {
            return work.get();
        } finally {
            if (set) {
                Context.setFlushDenormal(false);
            }
        }
    }

    /** Sets the seed of dropout, the only thing here that draws numbers; for the whole process. */
    public static void seed(long seed) {
        torch.manual_seed(seed);
    }

    private static final class Loaded {
        static final String FAILURE = load();

        private static String load() {
            try {
                // JavaCPP would otherwise refuse memory beyond four times the heap, whoever took it.
                if (System.getProperty("org.bytedeco.javacpp.maxPhysicalBytes") == null) {
                    System.setProperty("org.bytedeco.javacpp.maxPhysicalBytes", "0");
                }
                // Its threads and LibTorch's own would fight for the processors: three times slower with two.
                openblas_nolapack.blas_set_num_threads(1);
                torch.get_num_threads();
                return null;
            } catch (LinkageError | RuntimeException e) {
                return sentence(e);
            }
        }

        /** JavaCPP's errors end with the whole library path. */
        private static String sentence(Throwable failure) {
            Throwable root = failure;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            String text = root.toString().lines().findFirst().orElse("");
            int path = text.indexOf(" in java.library.path");
            return path < 0 ? text : text.substring(0, path);
        }
    }
}
