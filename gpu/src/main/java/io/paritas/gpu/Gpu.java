/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import io.paritas.settings.Setting;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPInputStream;

/**
 * The GPU of this JVM: its primary context, which it shares with CUDA's runtime and so with cuDF, and the kernels loaded into it.
 *
 * <p>A JVM uses one GPU, chosen by the setting {@code io.paritas.gpu.device}, until it ends. Thread-safe. A thread must {@link #bind}
 * before it uses streams, memory or kernels.
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
                for (Setting<?> setting : GpuSettings.GROUP.all()) {
                    setting.get(); // all are right, or nothing is opened
                }
                gpu = open(GpuSettings.DEVICE.get());
            } catch (Refusal | IllegalArgumentException e) {
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
    /** 0 until the first use: a context takes hundreds of megabytes of the GPU's memory. */
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

    /** Returns why no GPU can be used and what to do, as a sentence; empty if one can be used. */
    public static Optional<String> unavailable() {
        return Optional.ofNullable(Opened.refusal);
    }

    /**
     * Returns the GPU of this JVM.
     *
     * @throws GpuException if there is none, with the sentence of {@link #unavailable}
     */
    public static Gpu get() {
        if (Opened.gpu == null) {
            throw new GpuException("no GPU can be used, because " + Opened.refusal);
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
                throw new Refusal(GpuSettings.DEVICE.key() + " must be the number of a GPU, 0 to " + (devices - 1)
                        + " here, got " + ordinal);
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
            throw new Refusal("CUDA finds no GPU that it can use (" + e.getMessage()
                    + "); run this on a machine that has one, and check CUDA_VISIBLE_DEVICES and what the"
                    + " container may see");
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

    /** The driver's name for it. */
    public String name() {
        return name;
    }

    /** Its number among the GPUs that this process sees. */
    public int ordinal() {
        return ordinal;
    }

    /** The compute capability, such as 90 for 9.0. */
    public int computeCapability() {
        return capability;
    }

    /** The number of multiprocessors. */
    public int multiprocessors() {
        return CudaDriver.deviceAttribute(MULTIPROCESSORS, ordinal);
    }

    /** The most shared memory that a block can have, in bytes. */
    public int maxSharedBytes() {
        return CudaDriver.deviceAttribute(MAX_SHARED_BYTES, ordinal);
    }

    /**
     * Makes the context current in this thread, which every thread needs that uses the GPU. Cheap, except for the first call in a
     * JVM, which creates the context.
     *
     * @throws GpuException if the GPU takes no further process, or has no memory for one
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
        for (int architecture : SHIPPED) {
            String path = "kernels/" + name + "." + architecture + ".ptx.gz";
            try (InputStream in = architecture <= capability ? Gpu.class.getResourceAsStream(path) : null) {
                if (in != null) {
                    return new String(new GZIPInputStream(in).readAllBytes(), StandardCharsets.US_ASCII);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        throw new IllegalArgumentException(
                "there are no kernels '" + name + "' for compute capability " + capability + " in this jar");
    }

    @Override
    public String toString() {
        return name + ", compute capability " + capability / 10 + "." + capability % 10;
    }
}
