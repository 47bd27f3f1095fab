/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The GPU of this JVM: its primary context, which CUDA's runtime and so cuDF share, and the kernels that are loaded into it.
 *
 * <p>There is one, chosen by the setting {@code io.paritas.gpu.device}, and it is there until the JVM ends. Thread-safe; a
 * thread must {@link #bind} before it uses streams, memory or kernels.
 */
public final class Gpu {
    /** PTX 8.0, which our kernels are, needs CUDA 12.0. */
    private static final int OLDEST_DRIVER = 12_000;

    private static final int OLDEST_CAPABILITY = 75;

    /** The compute capabilities that kernels are shipped for, the newest first; newer GPUs run the newest. */
    private static final int[] SHIPPED = {80, 75};

    private static final int MULTIPROCESSORS = 16;
    private static final int CAPABILITY_MAJOR = 75;
    private static final int CAPABILITY_MINOR = 76;
    private static final int MAX_SHARED_BYTES = 97;

    /** What opening the GPU came to; decided once. */
    private static final class Opened {
        private static Gpu gpu;
        private static String refusal;

        static {
            try {
                for (Setting setting : Setting.values()) {
                    setting.intValue(); // all are right, or nothing is opened
                }
                gpu = open(Setting.DEVICE.intValue());
            } catch (Refusal | IllegalStateException e) {
                refusal = e.getMessage();
            }
        }
    }

    /** Why there is no GPU. */
    private static final class Refusal extends Exception {
        private static final long serialVersionUID = 1;

        Refusal(String sentence) {
            super(sentence, null, false, false);
        }
    }

    private final int ordinal;
    /** 0 until it is needed: a context takes hundreds of megabytes of the GPU's memory. */
    private volatile long context;

    private final String name;
    private final int capability;
    private final Map<String, CudaModule> modules = new ConcurrentHashMap<>();

    private Gpu(int ordinal) {
        this.ordinal = ordinal;
        name = CudaDriver.deviceName(ordinal);
        capability = 10 * CudaDriver.deviceAttribute(CAPABILITY_MAJOR, ordinal)
                + CudaDriver.deviceAttribute(CAPABILITY_MINOR, ordinal);
    }

    /** Empty if there is a GPU that can be used; otherwise a sentence that says what is missing and what to do. */
    public static Optional<String> unavailable() {
        return Optional.ofNullable(Opened.refusal);
    }

    /**
     * The GPU of this JVM.
     *
     * @throws GpuException if there is none, with the sentence of {@link #unavailable}
     */
    public static Gpu get() {
        if (Opened.gpu == null) {
            throw new GpuException("No GPU can be used, because " + Opened.refusal);
        }
        return Opened.gpu;
    }

    private static Gpu open(int ordinal) throws Refusal {
        try {
            JCudaNatives.load();
            CudaDriver.initialise();
            int version = CudaDriver.version();
            if (version < OLDEST_DRIVER) {
                throw new Refusal("the NVIDIA driver knows CUDA " + version / 1000 + "." + version % 1000 / 10
                        + " only; install a driver for CUDA 12.0 (525) or newer");
            }
            int devices = CudaDriver.devices();
            if (ordinal >= devices) {
                throw new Refusal(Setting.DEVICE.key + " is the number of a GPU, 0 to " + (devices - 1) + " here; got "
                        + ordinal);
            }
            int capability = 10 * CudaDriver.deviceAttribute(CAPABILITY_MAJOR, ordinal)
                    + CudaDriver.deviceAttribute(CAPABILITY_MINOR, ordinal);
            if (capability < OLDEST_CAPABILITY) {
                throw new Refusal("the GPU, " + CudaDriver.deviceName(ordinal) + ", has compute capability "
                        + capability / 10 + "." + capability % 10 + "; 7.5 (Turing) or newer is needed");
            }
            return new Gpu(ordinal);
        } catch (LinkageError e) {
            throw new Refusal(sentence(e));
        } catch (UncheckedIOException e) {
            throw new Refusal("JCuda's library cannot be unpacked: " + e.getMessage());
        } catch (GpuException e) {
            throw new Refusal(
                    "CUDA finds no GPU that it can use (" + e.getMessage()
                            + "); run this on a machine that has one, and check CUDA_VISIBLE_DEVICES and what the container may see");
        }
    }

    private static String sentence(LinkageError e) {
        if (e instanceof NoClassDefFoundError && String.valueOf(e.getMessage()).contains("jcuda.driver")) {
            return "JCuda is not on the class path; add org.jcuda:jcuda and org.jcuda:jcuda-natives beside paritas-gpu";
        }
        if (String.valueOf(e.getMessage()).contains("libcuda.so.1")) {
            return "this machine has no NVIDIA driver (libcuda.so.1); install one, version 525 or newer";
        }
        return "JCuda's library cannot be loaded on " + System.getProperty("os.name") + " "
                + System.getProperty("os.arch") + " (" + firstLine(e) + "); it is made for Linux on x86-64";
    }

    private static String firstLine(Throwable e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString());
    }

    /** What the driver calls it. */
    public String name() {
        return name;
    }

    /** Its number among the GPUs that this process can see. */
    public int ordinal() {
        return ordinal;
    }

    /** Such as 90 for 9.0. */
    public int computeCapability() {
        return capability;
    }

    /** How many multiprocessors it has. */
    public int multiprocessors() {
        return CudaDriver.deviceAttribute(MULTIPROCESSORS, ordinal);
    }

    /** The most shared memory that a block can have, in bytes. */
    public int maxSharedBytes() {
        return CudaDriver.deviceAttribute(MAX_SHARED_BYTES, ordinal);
    }

    /**
     * Makes the context the current one of this thread, as every thread needs it that uses the GPU. Cheap, but for the first
     * time in a JVM, when the context is made.
     *
     * @throws GpuException if the GPU takes no further process or has no memory for one
     */
    public void bind() {
        CudaDriver.setCurrentContext(context == 0 ? retainContext() : context);
    }

    private synchronized long retainContext() {
        if (context == 0) {
            context = CudaDriver.retainPrimaryContext(ordinal);
        }
        return context;
    }

    /** A new stream; the thread is bound. */
    public CudaStream newStream() {
        bind();
        return CudaStream.create();
    }

    /**
     * The kernels of {@code gpu/src/main/cuda/NAME.cu}, assembled when they are first asked for; the thread is bound.
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

    /** The newest that this GPU takes: what would be the same for newer GPUs is shipped for the oldest only. */
    private String ptx(String name) {
        for (int architecture : SHIPPED) {
            String path = "kernels/" + name + "." + architecture + ".ptx";
            try (InputStream in = architecture <= capability ? Gpu.class.getResourceAsStream(path) : null) {
                if (in != null) {
                    return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        throw new IllegalArgumentException(
                "There are no kernels '" + name + "' for compute capability " + capability + " in this jar");
    }

    @Override
    public String toString() {
        return name + ", compute capability " + capability / 10 + "." + capability % 10;
    }
}
