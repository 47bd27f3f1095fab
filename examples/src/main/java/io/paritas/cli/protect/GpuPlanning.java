/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import io.paritas.gpu.GpuException;
import io.paritas.gpu.nn.Precision;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.protect.Planner;
import io.paritas.inference.protect.ProtectionPlan;
import java.time.Duration;
import java.util.function.Supplier;

/** This machine's GPU, on which layers are measured. The only class of the programs that knows the GPU module. */
final class GpuPlanning {
    private GpuPlanning() {}

    /**
     * Plans by layers of float16.
     *
     * @throws IllegalStateException if there is no GPU
     * @throws ModelException if it has not enough memory for the batch
     */
    static ProtectionPlan half(ModelFile file, int batch, Duration each) {
        return plan(file, batch, each, Precision.HALF);
    }

    /**
     * Plans by layers of float32.
     *
     * @throws IllegalStateException if there is no GPU
     * @throws ModelException if it has not enough memory for the batch
     */
    static ProtectionPlan single(ModelFile file, int batch, Duration each) {
        return plan(file, batch, each, Precision.SINGLE);
    }

    private static ProtectionPlan plan(ModelFile file, int batch, Duration each, Precision precision) {
        return sized(batch, () -> Planner.plan(file, batch, each, new io.paritas.gpu.network.GpuPlanning(precision)));
    }

    /** Makes a plan, and says which option made it too large. */
    static ProtectionPlan sized(int batch, Supplier<ProtectionPlan> plan) {
        try {
            return plan.get();
        } catch (GpuException e) {
            if (!e.isOutOfMemory()) {
                throw e;
            }
            throw tooLarge(batch, e.getMessage(), e);
        } catch (ArithmeticException e) {
            throw tooLarge(batch, "a layer has more values than can be counted", e);
        }
    }

    private static ModelException tooLarge(int batch, String reason, RuntimeException cause) {
        return new ModelException(
                "the GPU cannot measure batches of " + batch + ": " + reason + ": measure smaller ones, with --batch",
                cause);
    }
}
