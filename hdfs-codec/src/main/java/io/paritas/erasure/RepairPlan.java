/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.erasure.kernel.Kernel;
import io.paritas.erasure.kernel.KernelProvider;
import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.Regions;

/**
 * How to reconstruct some units of a stripe: which units to read, and the kernel that makes the wanted ones of them.
 * Immutable and thread-safe.
 *
 * <p>Each unit is a combination of the units that are read, with coefficients that solve the generator's equations. Of an
 * MDS code, the first k units that are left are read; of a local reconstruction code, only the group of a single loss. See
 * {@link ErasureCode#repairPlan(Erasures, Erasures)}.
 */
public final class RepairPlan {
    private final Erasures wanted;
    private final int[] sources;
    private final Program program;
    private final Kernel kernel;

    private RepairPlan(Erasures wanted, int[] sources, Program program, Kernel kernel) {
        this.wanted = wanted;
        this.sources = sources;
        this.program = program;
        this.kernel = kernel;
    }

    /** The plan that computes the product. */
    static RepairPlan of(Erasures wanted, Survivors.Product product, KernelProvider provider) {
        Program program = Program.product(product.rows());
        return new RepairPlan(wanted, product.sources(), program, provider.compile(program));
    }

    /** The units to read, ascending, in a new array. */
    public int[] sources() {
        return sources.clone();
    }

    /** What is computed: an input for each of the {@link #sources}, an output for each of the {@link #wanted}. */
    public Program program() {
        return program;
    }

    /** The units that are reconstructed. */
    public Erasures wanted() {
        return wanted;
    }

    /**
     * Reconstructs the wanted units, or the same byte range of each.
     *
     * @param read the units that {@link #sources()} names, in that order; not changed
     * @param repaired the units that {@link #wanted()} names, in that order; overwritten
     * @throws IllegalArgumentException if the counts or the lengths do not fit
     */
    public void apply(Regions read, Regions repaired) {
        ErasureCode.check("units to read", sources.length, read.count());
        ErasureCode.check("units to reconstruct", wanted.size(), repaired.count());
        ErasureCode.checkLengths(read, repaired);
        kernel.apply(read, repaired);
    }
}
