/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.Context;
import org.bytedeco.pytorch.global.torch;

/** The native library: its availability, and its settings, which hold for the process. */
public final class LibTorch {

    private LibTorch() {}

    /** The reason why LibTorch cannot use a device here; empty if it can. Loads the library, which takes seconds the first time. */
    public static Optional<String> unavailable(Device device) {
        Optional<String> failure = Loaded.failure();
        if (failure.isPresent()) {
            return Optional.of(
                    "LibTorch does not load here: " + failure.get()
                            + " (it needs org.bytedeco's jars pytorch, openblas and javacpp, each with the classifier of this system;"
                            + " glibc 2.35 or newer on Linux x86-64, or macOS on ARM, or Windows;"
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
     * Loads the library, and sets the number of threads of an operation for the calling thread.
     *
     * @return {@link Device#CPU} or {@link Device#CUDA}: the given device, or for {@link Device#AUTO} CUDA if it works
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
     * Sets the number of threads of an operation for the calling thread. LibTorch (with OpenMP) keeps a number for each thread; a
     * thread that never set one has the number last set by any thread.
     */
    static void threads(int count) {
        if (torch.get_num_threads() != count) {
            torch.set_num_threads(count);
        }
    }

    /** The message of a C++ error, without stack traces. */
    static String reason(RuntimeException failure) {
        String message = String.valueOf(failure.getMessage());
        int trace = message.indexOf("Exception raised from ");
        String text = trace < 0 ? message : message.substring(0, trace);
        int error = text.lastIndexOf("Error: ");
        return text.substring(error < 0 ? 0 : error + "Error: ".length()).strip();
    }

    /**
     * Runs work in which numbers below 2^-126 count as zero. A network at the end of its training has gradients that small, and
     * processors take a hundred times as long for them. The setting is the calling thread's, and is undone afterwards: Java code
     * relies on the default.
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

    /** Sets the seed of dropout, which is the only random operation here; for the whole process. */
    public static void seed(long seed) {
        torch.manual_seed(seed);
    }

    /**
     * Whether oneDNN's convolutions are right here, as far as the files of Linux under a root say: on Intel's processors, and on AMD's
     * that show the size of their first-level data cache. A virtual machine may hide it. Then oneDNN takes it to be one byte, leaves
     * the padding of blocks of channels unwritten and reads it: gradients are NaN if NaN lies there. LibTorch's own convolutions do
     * not. Linux asks an AMD processor as oneDNN does (leaf 0x8000001D of CPUID, of which index0 is the data cache) if it has the
     * flag topoext. Otherwise it asks an older leaf, which may be there when that is hidden.
     */
    static boolean suitsOneDnn(Path root) {
        try (Stream<String> lines = Files.lines(root.resolve("proc/cpuinfo"))) {
            String first = lines.takeWhile(line -> !line.isEmpty()).collect(Collectors.joining(" ", "", " "));
            if (first.contains("GenuineIntel")) {
                return true;
            }
            Path size = root.resolve("sys/devices/system/cpu/cpu0/cache/index0/size");
            return first.contains("AuthenticAMD")
                    && first.contains(" topoext ")
                    && !Files.readString(size).startsWith("0");
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    private static final class Loaded {
        /* Null until it is known for the life of the JVM. */
        private static Optional<String> failure;

        /** Why the library cannot be used; empty if it can. It is loaded once, but unpacked again where that has failed. */
        static synchronized Optional<String> failure() {
            if (failure == null) {
                try {
                    failure = uninterrupted(LibTorch::load, LibTorch::onOwnThread);
                } catch (UncheckedIOException e) { // nothing is loaded yet, and a full disk may have room the next time
                    return Optional.of(e.getMessage());
                }
            }
            return failure;
        }
    }

    /**
     * Runs work on a thread that nobody interrupts, and waits for it. A task that is killed would end what it unpacks half-way, and
     * the library would not load for the tasks after it.
     *
     * @throws UncheckedIOException if the system has no thread left: Spark would end the executor for the error
     */
    static <T> T uninterrupted(Supplier<T> work, Executor thread) {
        CompletableFuture<T> done;
        try {
            done = CompletableFuture.supplyAsync(work, thread);
        } catch (OutOfMemoryError e) {
            String reason = "the system gives no thread to load it (" + e.getMessage() + ")";
            throw new UncheckedIOException(reason, new IOException(reason));
        }
        try {
            return done.join(); // which does not end by an interrupt, and keeps it
        } catch (CompletionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private static void onOwnThread(Runnable task) {
        Thread thread = new Thread(task, "paritas-libtorch-load");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Loads the library; returns why it cannot be used, if it cannot.
     *
     * @throws UncheckedIOException if it cannot be unpacked
     */
    private static Optional<String> load() {
        try {
            LibraryFolder.choose();
            LibraryFolder.unpack();
            // By default, JavaCPP refuses allocations once the process has four times the heap.
            if (System.getProperty("org.bytedeco.javacpp.maxPhysicalBytes") == null) {
                System.setProperty("org.bytedeco.javacpp.maxPhysicalBytes", "0");
            }
            // MKL's threads compete with LibTorch's for the processors: three times slower with two.
            openblas_nolapack.blas_set_num_threads(1);
            boolean oneDnn = suitsOneDnn(Path.of("/"));
            torch.globalContext().setUserEnabledMkldnn(oneDnn);
            if (!oneDnn) {
                // It would be tried instead, and say at each convolution that it is not for this processor.
                torch.globalContext().setUserEnabledNNPACK(false);
            }
            torch.get_num_threads();
            return Optional.empty();
        } catch (UncheckedIOException e) {
            throw e;
        } catch (LinkageError | RuntimeException e) {
            return Optional.of(sentence(e));
        }
    }

    /** The message of a failure, without the library path that JavaCPP appends. */
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
