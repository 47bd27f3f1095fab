/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import io.paritas.settings.Setting;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * A GPU: its primary context, which it shares with CUDA's runtime and so with cuDF, and the kernels loaded into it.
 *
 * <p>The setting {@code io.paritas.gpu.device} chooses the one that a JVM uses where nobody asks for another. Thread-safe. A thread must
 * {@link #bind} before it uses streams, memory or kernels, and uses those of that GPU only.
 *
 * <p>After some errors, of kernels and of hardware, CUDA refuses a process every further use of the GPU. Then it is {@link #lost}: all that
 * is bound to it fails at once, with the first error, and its memory is freed when the process ends.
 */
public final class Gpu {
    /** PTX 8.0, which our kernels are, needs CUDA 12.0. */
    private static final int OLDEST_DRIVER = 12_000;

    private static final int OLDEST_CAPABILITY = 75;

    /** The compute capabilities that kernels are shipped for, the newest first; newer GPUs run the newest. */
    private static final int[] SHIPPED = {80, 75};

    /** The only one that has the instruction wgmma, and what its kernels are shipped as. */
    private static final int HOPPER = 90;

    private static final String HOPPER_ONLY = "90a";

    /** The GPU that each thread is bound to. */
    private static final ThreadLocal<Gpu> BOUND = new ThreadLocal<>();

    /** Those that were asked for by number. */
    private static final Map<Integer, Gpu> NUMBERED = new ConcurrentHashMap<>();

    private static final int MULTIPROCESSORS = 16;
    private static final int CAPABILITY_MAJOR = 75;
    private static final int CAPABILITY_MINOR = 76;

    /** Decided once. */
    private static final class Driver {
        /** Null if it works. */
        private static final String REFUSAL = refusal(Gpu::initialise);
    }

    /** The GPU of those who ask for none by number; decided once. */
    private static final class Opened {
        private static Gpu gpu;

        private static final String REFUSAL = Driver.REFUSAL != null
                ? Driver.REFUSAL
                : refusal(() -> gpu = checked(GpuSettings.DEVICE.get(), GpuSettings.DEVICE.key()));
    }

    private interface Attempt {
        void run() throws Refusal;
    }

    /** Why there is no GPU. */
    private static final class Refusal extends Exception {
        private static final long serialVersionUID = 1;

        Refusal(String sentence) {
            super(sentence, null, false, false);
        }
    }

    private final int ordinal;
    /** 0 until the first use: a context takes hundreds of megabytes of the GPU's memory. */
    private volatile long context;

    /** The error after which the GPU cannot be used; null while it can. */
    private volatile String lost;

    private final String name;
    private final String uuid;
    private final int capability;
    private final int multiprocessors;
    private final Map<String, CudaModule> modules = new ConcurrentHashMap<>();

    private Gpu(int ordinal) {
        this.ordinal = ordinal;
        name = CudaDriver.deviceName(ordinal);
        uuid = text(CudaDriver.deviceUuid(ordinal));
        capability = 10 * CudaDriver.deviceAttribute(CAPABILITY_MAJOR, ordinal)
                + CudaDriver.deviceAttribute(CAPABILITY_MINOR, ordinal);
        multiprocessors = CudaDriver.deviceAttribute(MULTIPROCESSORS, ordinal);
    }

    /** As nvidia-smi writes it. */
    private static String text(byte[] uuid) {
        return "GPU-" + HexFormat.of().formatHex(uuid).replaceFirst("(.{8})(.{4})(.{4})(.{4})", "$1-$2-$3-$4-");
    }

    /**
     * Returns why nobody can use a GPU who asks for none by number, and what to do, as a sentence; empty if one can be used. A GPU that is
     * {@link #lost} was there.
     */
    public static Optional<String> unavailable() {
        return Optional.ofNullable(Opened.REFUSAL);
    }

    /** The same of all GPUs: empty if one of them can be used by its number. */
    public static Optional<String> noneAvailable() {
        boolean isThere = Opened.gpu != null
                || (Driver.REFUSAL == null
                        && IntStream.range(0, CudaDriver.devices()).anyMatch(Gpu::isAvailable));
        return isThere ? Optional.empty() : unavailable();
    }

    private static boolean isAvailable(int number) {
        try {
            return get(number) != null;
        } catch (GpuException e) {
            return false;
        }
    }

    /**
     * Returns a GPU by its number among those that this process sees.
     *
     * @throws GpuException if it is not there, or too old, or none can be used; as a sentence
     */
    public static Gpu get(int number) {
        if (Driver.REFUSAL != null) {
            throw none(Driver.REFUSAL);
        }
        Gpu first = Opened.gpu;
        return first != null && number == first.ordinal ? first : NUMBERED.computeIfAbsent(number, Gpu::numbered);
    }

    private static Gpu numbered(int number) {
        try {
            return checked(number, "the GPU of a model");
        } catch (Refusal e) {
            throw new GpuException(e.getMessage());
        }
    }

    /** Whether this thread is bound to a GPU. */
    public static boolean isBound() {
        return BOUND.get() != null;
    }

    /** The GPU that this thread is bound to; {@link #get} if it is bound to none. */
    public static Gpu current() {
        Gpu bound = BOUND.get();
        return bound == null ? get() : bound;
    }

    /** Notes that the GPU of this thread cannot be used any more. */
    static void lose(GpuException failure) {
        Gpu bound = BOUND.get();
        if (bound != null && bound.lost == null) {
            bound.lost = failure.getMessage();
            System.getLogger(Gpu.class.getName())
                    .log(
                            System.Logger.Level.ERROR,
                            "Paritas: {0} is lost to this process, which must be started again to use it: {1}",
                            bound,
                            bound.lost);
        }
    }

    /**
     * Returns the GPU of this JVM.
     *
     * @throws GpuException if there is none, with the sentence of {@link #unavailable}
     */
    public static Gpu get() {
        if (Opened.gpu == null) {
            throw none(Opened.REFUSAL);
        }
        return Opened.gpu;
    }

    private static GpuException none(String refusal) {
        return new GpuException("no GPU can be used, because " + refusal);
    }

    private static void initialise() throws Refusal {
        for (Setting<?> setting : GpuSettings.GROUP.all()) {
            setting.get(); // all are right, or nothing is opened
        }
        JCudaNatives.load();
        CudaDriver.initialise();
        int version = CudaDriver.version();
        if (version < OLDEST_DRIVER) {
            throw new Refusal("the NVIDIA driver knows CUDA " + version / 1000 + "." + version % 1000 / 10
                    + " only; install a driver for CUDA 12.0 (525) or newer");
        }
    }

    /** Why something fails, as a sentence; null if it does not. */
    private static String refusal(Attempt attempt) {
        try {
            attempt.run();
            return null;
        } catch (Refusal | IllegalArgumentException e) {
            return e.getMessage();
        } catch (LinkageError e) {
            return sentence(e);
        } catch (UncheckedIOException e) {
            return "JCuda's library cannot be unpacked: " + e.getMessage();
        } catch (GpuException e) {
            return "CUDA finds no GPU that it can use (" + e.getMessage()
                    + "); run this on a machine that has one, and check CUDA_VISIBLE_DEVICES and what the"
                    + " container may see";
        }
    }

    /** @param setting what the number comes from */
    private static Gpu checked(int ordinal, String setting) throws Refusal {
        int devices = CudaDriver.devices();
        if (ordinal < 0 || ordinal >= devices) {
            throw new Refusal(setting + " must be the number of a GPU, 0 to " + (devices - 1) + " here, got " + ordinal
                    + ": check CUDA_VISIBLE_DEVICES, and that the discovery script of Spark sees the same GPUs");
        }
        Gpu gpu = new Gpu(ordinal);
        if (gpu.capability < OLDEST_CAPABILITY) {
            throw new Refusal("the GPU, " + gpu.name + ", has compute capability " + gpu.capability / 10 + "."
                    + gpu.capability % 10 + "; 7.5 (Turing) or newer is needed");
        }
        return gpu;
    }

    private static String sentence(LinkageError e) {
        if (e instanceof NoClassDefFoundError && String.valueOf(e.getMessage()).contains("jcuda.driver")) {
            return "JCuda is not on the class path; add org.jcuda:jcuda and org.jcuda:jcuda-natives beside paritas-gpu";
        }
        if (String.valueOf(e.getMessage()).contains("libcuda.so.1")) {
            return "this machine has no NVIDIA driver (libcuda.so.1); install one, version 525 or newer";
        }
        return "JCuda's library cannot be loaded on " + System.getProperty("os.name") + " "
                + System.getProperty("os.arch") + " (" + firstLine(e)
                + "); it is made for Linux on x86-64, and java.io.tmpdir ("
                + System.getProperty("java.io.tmpdir") + ") must be a folder from which libraries can be loaded";
    }

    private static String firstLine(Throwable e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString());
    }

    /** The driver's name for it. */
    public String name() {
        return name;
    }

    /** NVIDIA's identifier of this very card, such as {@code GPU-8b1f…}, as nvidia-smi shows it. */
    public String uuid() {
        return uuid;
    }

    /** The error after which this process cannot use the GPU any more; empty while it can. */
    public Optional<String> lost() {
        return Optional.ofNullable(lost);
    }

    /** The bytes of its memory that no process has taken. */
    public long freeBytes() {
        return whileBound(CudaDriver::freeBytes);
    }

    /** Its number among the GPUs that this process sees. */
    public int ordinal() {
        return ordinal;
    }

    /** The compute capability, such as 90 for 9.0. */
    public int computeCapability() {
        return capability;
    }

    /** Whether it has the matrix instruction wgmma, which no GPU has before Hopper or after it. */
    public boolean hasWgmma() {
        return capability == HOPPER;
    }

    /** The number of multiprocessors that this process may use: under MPS it may be a part of them. */
    public int multiprocessors() {
        return multiprocessors;
    }

    /**
     * Makes the context current in this thread, which every thread needs that uses the GPU. Cheap, except for the first call in a
     * JVM, which creates the context.
     *
     * @throws GpuException if the GPU takes no further process, or has no memory for one, or is {@link #lost}
     */
    public void bind() {
        if (lost != null) {
            throw GpuException.lost(this + " was lost before (" + lost + "): start the process again to use it");
        }
        BOUND.set(this);
        CudaDriver.setCurrentContext(context == 0 ? retainContext() : context);
    }

    /** What a thread was bound to, by us and by others. */
    private record Binding(Gpu gpu, long context) implements AutoCloseable {
        /** Binds the thread to it again, if it was bound to anything. */
        @Override
        public void close() {
            if (context != 0) {
                BOUND.set(gpu);
                CudaDriver.setCurrentContext(context);
            }
        }
    }

    /**
     * Does work while the thread is bound to this GPU, and binds it again to what it was bound to before: other libraries, as cuDF, bind a
     * thread once and rely on it. A thread that was bound to nothing stays bound to this GPU.
     *
     * @throws GpuException as {@link #bind} does
     */
    public <T> T whileBound(Supplier<T> work) {
        try (Binding before = new Binding(BOUND.get(), CudaDriver.currentContext())) {
            bind();
            return work.get();
        }
    }

    /** As {@link #whileBound(Supplier)}, for work without a result. */
    public void whileBound(Runnable work) {
        whileBound(() -> {
            work.run();
            return null;
        });
    }

    private synchronized long retainContext() {
        if (context == 0) {
            context = CudaDriver.retainPrimaryContext(ordinal);
        }
        return context;
    }

    /** Creates a stream; binds the thread. */
    public CudaStream newStream() {
        bind();
        return CudaStream.create();
    }

    /**
     * Returns the kernels of {@code gpu/src/main/cuda/NAME.cu}, assembled at the first call; binds the thread.
     *
     * @throws GpuException if the driver refuses them
     */
    public CudaModule module(String name) {
        bind();
        return modules.computeIfAbsent(name, this::load);
    }

    private CudaModule load(String name) {
        return CudaModule.assemble(name, ptx(name));
    }

    /** Returns the newest PTX that this GPU takes. A text that is the same for newer GPUs is shipped for the oldest only. */
    private String ptx(String name) {
        Stream<String> targets =
                Arrays.stream(SHIPPED).filter(target -> target <= capability).mapToObj(Integer::toString);
        return Stream.concat(hasWgmma() ? Stream.of(HOPPER_ONLY) : Stream.empty(), targets)
                .map(target -> ptx(name, target))
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "there are no kernels '" + name + "' for compute capability " + capability + " in this jar"));
    }

    private static Optional<String> ptx(String name, String target) {
        try (InputStream in = Gpu.class.getResourceAsStream("kernels/" + name + "." + target + ".ptx.gz")) {
            return in == null
                    ? Optional.empty()
                    : Optional.of(new String(new GZIPInputStream(in).readAllBytes(), StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return name + ", compute capability " + capability / 10 + "." + capability % 10;
    }
}
