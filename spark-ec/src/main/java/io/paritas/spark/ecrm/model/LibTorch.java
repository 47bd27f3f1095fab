/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.Context;
import org.bytedeco.pytorch.global.torch;

/** The native library: whether it works here, and its settings, which are the process's or the thread's. */
final class LibTorch {
    private LibTorch() {}

    /** @throws IllegalStateException if it does not load */
    static void require() {
        if (Loaded.FAILURE != null) {
            throw new IllegalStateException(
                    "Recommendation models are trained with LibTorch, which does not load here: "
                            + Loaded.FAILURE
                            + ". Put org.bytedeco:pytorch, openblas and javacpp on the class path, each with the"
                            + " classifier of this system; they need glibc 2.35 or newer on Linux x86-64, or macOS on ARM, or"
                            + " Windows; and about 450 MB for their libraries in ~/.javacpp, or where"
                            + " -Dorg.bytedeco.javacpp.cachedir says");
        }
    }

    /** How many threads compute what the calling thread asks for; LibTorch keeps this number for each thread. */
    static void threads(int count) {
        if (torch.get_num_threads() != count) {
            torch.set_num_threads(count);
        }
    }

    /**
     * Runs work in which numbers below 2^-126 count as zero: what is learned well has gradients that small, and processors take
     * a hundred times as long for them. It holds for this thread, and Java wants it undone.
     */
    static void withoutDenormals(Runnable work) {
        boolean set = Context.setFlushDenormal(true);
        try {
            work.run();
        } finally {
            if (set) {
                Context.setFlushDenormal(false);
            }
        }
    }

    private static final class Loaded {
        static final String FAILURE = load();

        private static String load() {
            try {
                // JavaCPP would otherwise refuse memory beyond four times the heap, whoever took it.
                if (System.getProperty("org.bytedeco.javacpp.maxPhysicalBytes") == null) {
                    System.setProperty("org.bytedeco.javacpp.maxPhysicalBytes", "0");
                }
                // Its threads and LibTorch's own would fight for the processors.
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
