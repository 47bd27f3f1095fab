/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.kernel.BackgroundThread;
import io.paritas.erasure.kernel.Kernel;
import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.RangeFolds;
import io.paritas.erasure.kernel.Regions;
import io.paritas.gpu.Gpu;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs a program on the GPU for units of the host.
 *
 * <p>It starts with the kernel for any matrix. After enough bytes, a kernel for this matrix is generated in the background, and
 * takes over if it computes the same bytes. Every call is checked on the host: what the GPU and the bus made of the units
 * must satisfy the folded equations.
 */
final class CudaKernel implements Kernel {
    private static final Executor BACKGROUND = BackgroundThread.named("paritas-gpu-kernels");

    /** Bytes of the comparison: more than one block of whole columns, and some single bytes. */
    private static final int CHECKED_BYTES = 16 * 200 + 13;

    private final Gpu gpu;
    private final StagingPool pool;
    private final Program program;
    private final long beforeGenerating;
    private final AtomicLong bytesBeforeGenerating;
    private final Executor background;
    private volatile DeviceKernel current;

    /** @param bytesBeforeGenerating bytes to read before a kernel is generated; 0 generates it in the constructor */
    CudaKernel(Gpu gpu, StagingPool pool, Program program, long bytesBeforeGenerating) {
        this(gpu, pool, program, bytesBeforeGenerating, tableKernel(gpu, program), BACKGROUND);
        if (bytesBeforeGenerating == 0) {
            generate();
        }
    }

    /**
     * @param first what runs on the GPU: the program, but in tests
     * @param background generates the kernel, for tests
     */
    CudaKernel(
            Gpu gpu,
            StagingPool pool,
            Program program,
            long bytesBeforeGenerating,
            DeviceKernel first,
            Executor background) {
        this.gpu = gpu;
        this.pool = pool;
        this.program = program;
        this.beforeGenerating = bytesBeforeGenerating;
        this.bytesBeforeGenerating = new AtomicLong(bytesBeforeGenerating);
        this.background = background;
        this.current = first;
    }

    private static DeviceKernel tableKernel(Gpu gpu, Program program) {
        return gpu.whileBound(() -> new TableKernel(gpu, program.coefficients()));
    }

    @Override
    public void apply(Regions inputs, Regions outputs) {
        RangeFolds folds = RangeFolds.begin(program);
        pool.run(current, inputs, outputs, folds);
        folds.check();
        if (isTimeToGenerate((long) inputs.count() * inputs.length())) {
            beginToGenerate();
        }
    }

    /** Returns true exactly once, and once more whenever the bytes are set again. */
    private boolean isTimeToGenerate(long bytes) {
        if (bytesBeforeGenerating.get() <= 0) {
            return false;
        }
        long before = bytesBeforeGenerating.getAndAdd(-bytes);
        return before > 0 && before <= bytes;
    }

    /** The caller has its bytes: it does not fail where the system has no thread left. */
    private void beginToGenerate() {
        try {
            background.execute(this::tryToGenerate);
        } catch (RejectedExecutionException e) { // many are waiting
            bytesBeforeGenerating.set(beforeGenerating);
        } catch (OutOfMemoryError e) {
            cannotGenerate(e);
        }
    }

    /** An error ends here, too: Spark ends an executor in which a thread does not catch one. */
    private void tryToGenerate() {
        try {
            generate();
        } catch (RuntimeException | Error e) {
            cannotGenerate(e);
        }
    }

    private static void cannotGenerate(Throwable reason) {
        log(System.Logger.Level.WARNING, "No kernel can be generated, the one for any matrix goes on: " + reason);
    }

    private void generate() {
        Optional<GeneratedPtx> ptx = GeneratedPtx.of(program);
        if (ptx.isPresent()) {
            DeviceKernel generated = gpu.whileBound(() -> new GeneratedKernel(gpu, ptx.get()));
            if (computesTheSame(generated)) {
                current = generated;
            } else {
                log(
                        System.Logger.Level.ERROR,
                        "A generated kernel computes wrong bytes on " + gpu + " and is not used: " + program);
            }
        }
    }

    private boolean computesTheSame(DeviceKernel candidate) {
        byte[][] inputs = new byte[program.inputs()][CHECKED_BYTES];
        Random random = new Random(program.inputs());
        Arrays.stream(inputs).forEach(random::nextBytes);
        return Arrays.deepEquals(outputs(current, inputs), outputs(candidate, inputs));
    }

    private byte[][] outputs(DeviceKernel kernel, byte[][] inputs) {
        byte[][] outputs = new byte[program.outputs()][CHECKED_BYTES];
        pool.run(kernel, Regions.of(inputs), Regions.of(outputs), RangeFolds.begin(program));
        return outputs;
    }

    /** Returns whether a generated kernel has taken over. */
    boolean isGenerated() {
        return current instanceof GeneratedKernel;
    }

    private static void log(System.Logger.Level level, String message) {
        System.getLogger(CudaKernel.class.getName()).log(level, message);
    }
}
