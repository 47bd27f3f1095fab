/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.PublicApi;
import io.paritas.erasure.kernel.Kernel;
import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.Regions;
import java.util.Optional;

/**
 * A plan to reconstruct some units of a stripe: the units to read, and the kernel that makes the wanted ones of them.
 * Immutable and thread-safe.
 *
 * <p>Each wanted unit is a linear combination of the units that are read; the coefficients solve the generator's equations.
 * {@link ErasureCode#repairPlan(Erasures, Erasures)} says which units are read.
 */
@PublicApi
public final class RepairPlan {
    private final Erasures wanted;
    private final int[] sources;
    private final Optional<Program> program;
    private final Kernel kernel;

    private RepairPlan(Erasures wanted, int[] sources, Optional<Program> program, Kernel kernel) {
        this.wanted = wanted;
        this.sources = sources;
        this.program = program;
        this.kernel = kernel;
    }

    /** The plan that runs a program, compiled. */
    static RepairPlan of(Erasures wanted, int[] sources, Program program, Kernel kernel) {
        return new RepairPlan(wanted, sources, Optional.of(program), kernel);
    }

    /** The plan that runs a kernel that is no program over bytes. */
    static RepairPlan of(Erasures wanted, int[] sources, Kernel kernel) {
        return new RepairPlan(wanted, sources, Optional.empty(), kernel);
    }

    /** The units to read, ascending, in a new array. */
    public int[] sources() {
        return sources.clone();
    }

    /**
     * The computation: one input for each of the {@link #sources}, one output for each of the {@link #wanted}.
     *
     * @throws IllegalStateException if the plan is that of a {@link StripCode}, which combines bytes at different places
     */
    public Program program() {
        return program.orElseThrow(
                () -> new IllegalStateException("the plan of a strip code is no program over bytes, and has none"));
    }

    /** The units that the plan reconstructs. */
    public Erasures wanted() {
        return wanted;
    }

    /**
     * Reconstructs the wanted units, or, with an {@link ErasureCode}, the same byte range of each.
     *
     * @param read the units of {@link #sources()}, in that order
     * @param repaired the units of {@link #wanted()}, in that order; overwritten
     * @throws IllegalArgumentException if the counts or the lengths do not fit
     */
    public void apply(Regions read, Regions repaired) {
        ErasureCode.check("units to read", sources.length, read.count());
        ErasureCode.check("units to reconstruct", wanted.size(), repaired.count());
        ErasureCode.checkLengths(read, repaired);
        kernel.apply(read, repaired);
    }
}
