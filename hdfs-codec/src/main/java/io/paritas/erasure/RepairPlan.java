/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.erasure.kernel.Kernel;
import io.paritas.erasure.kernel.KernelProvider;
import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.Regions;
import java.util.stream.IntStream;

/**
 * How to reconstruct some units of a stripe: which units to read, and the kernel that makes the wanted ones of them.
 * Immutable and thread-safe.
 *
 * <p>With the identity above the generator, the rows of the k units that are read form a regular k×k matrix R. The data
 * units are R⁻¹ · (units read); a wanted unit's row of the generator, times R⁻¹, therefore gives it from the units read.
 */
public final class RepairPlan {
    private final Erasures wanted;
    private final int[] sources;
    private final Kernel kernel;

    private RepairPlan(Erasures wanted, int[] sources, Kernel kernel) {
        this.wanted = wanted;
        this.sources = sources;
        this.kernel = kernel;
    }

    /** Plans to read the first k units that are not missing. There are at least k. */
    static RepairPlan of(
            CodeParameters code, Matrix generator, Erasures missing, Erasures wanted, KernelProvider provider) {
        int[] sources = IntStream.range(0, code.n())
                .filter(unit -> !missing.contains(unit))
                .limit(code.k())
                .toArray();
        Matrix allUnits = Matrix.identity(generator.field(), code.k()).above(generator);
        Matrix repair = allUnits.pickRows(wanted.toArray())
                .times(allUnits.pickRows(sources).inverse());
        return new RepairPlan(wanted, sources, provider.compile(Program.product(repair.toRows())));
    }

    /** The units to read, ascending, in a new array. */
    public int[] sources() {
        return sources.clone();
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
