/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.Gpu;
import io.paritas.gpu.GpuException;
import io.paritas.gpu.nn.Scheme;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.Protection;
import io.paritas.inference.protect.ProtectionPlan;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** The schemes of a network's layers, as the options of a model ask for them. */
final class Schemes {
    /** The most rows of a batch for measuring layers without a plan, and the time for each layer. */
    private static final int TYPICAL_ROWS = 64;

    private static final Duration QUICK = Duration.ofMillis(100);

    private Schemes() {}

    /**
     * A scheme for each of {@link NetworkPlan#layers}. The thread is bound to the GPU.
     *
     * @param mostRows of a batch of the model: no more are measured
     * @throws ModelException if the GPU does not check that way, or the protection's plan is for another model
     */
    static List<Scheme> of(ModelFile file, NetworkPlan plan, Protection protection, int mostRows) {
        return switch (protection.mode()) {
            case OFF -> all(plan, Scheme.NONE);
            case GLOBAL -> all(plan, Scheme.GLOBAL);
            case THREAD -> all(plan, Scheme.THREAD);
            case WEIGHTED ->
                throw new ModelException("gpu protects by global, thread or guided, weighted was asked for: choose"
                        + " another, or the engine 'protected' on the CPU");
            case GUIDED -> planned(file, plan, protection, mostRows);
        };
    }

    private static List<Scheme> planned(ModelFile file, NetworkPlan plan, Protection protection, int mostRows) {
        Stream<String> names = protection.plan().isEmpty()
                ? measured(file, plan, Math.min(TYPICAL_ROWS, mostRows)).stream()
                : ProtectionPlan.parse(protection.plan())
                        .schemes(file, plan.layers(), GpuPlanning.name(Gpu.current(), plan.precision()))
                        .stream()
                        .map(Object::toString);
        return names.map(Schemes::named).toList();
    }

    /** Measures half of the rows if the GPU's memory is full, as {@link GpuModel} then predicts no more. */
    private static List<String> measured(ModelFile file, NetworkPlan plan, int rows) {
        try {
            return GpuModel.inIdleMemory(
                    Gpu.current(),
                    () -> io.paritas.inference.protect.Planner.schemes(
                            file, rows, QUICK, new GpuPlanning(plan.precision())));
        } catch (GpuException e) {
            if (!e.isOutOfMemory() || rows == 1) {
                throw e;
            }
            return measured(file, plan, rows / 2);
        }
    }

    private static Scheme named(String name) {
        try {
            return Scheme.named(name);
        } catch (IllegalArgumentException e) {
            throw new ModelException("gpu cannot follow a protection plan: " + e.getMessage(), e);
        }
    }

    private static List<Scheme> all(NetworkPlan plan, Scheme scheme) {
        return Collections.nCopies(plan.layers().size(), scheme);
    }
}
