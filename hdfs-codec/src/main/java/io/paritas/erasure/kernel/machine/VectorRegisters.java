/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.Memory.Constant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What a kernel's vector registers are for. The results of statements get as many as they need, then the folds, then the
 * constants; what gets none is in memory.
 */
final class VectorRegisters {
    private final Deque<Integer> temporaries = new ArrayDeque<>();
    private final Map<Integer, Integer> folds = new HashMap<>();
    private final Map<Constant, Integer> constants = new HashMap<>();
    private final int nibbleMask;

    /**
     * @param results registers for results
     * @param foldedUnits units that have a fold
     */
    VectorRegisters(Tier tier, int results, int foldedUnits, Collection<Constant> wanted) {
        IntStream.range(0, results).forEach(temporaries::add);
        nibbleMask = results;
        int next = tier.hasProducts ? results : results + 1;
        for (int unit = 0; unit < foldedUnits && next < tier.registers(); unit++) {
            folds.put(unit, next++);
        }
        for (Constant constant : wanted) {
            if (next < tier.registers()) {
                constants.put(constant, next++);
            }
        }
    }

    /** The registers that results may take. */
    static int available(Tier tier) {
        return tier.registers() - (tier.hasProducts ? 0 : 1);
    }

    /** The registers of results. Not to be changed. */
    Deque<Integer> temporaries() {
        return temporaries;
    }

    /** The register of a unit's fold, if it has one. */
    Optional<Integer> fold(int unit) {
        return Optional.ofNullable(folds.get(unit));
    }

    /** The register of a constant, if it has one: a matrix, or half the table of a product. */
    Optional<Integer> constant(Constant constant) {
        return Optional.ofNullable(constants.get(constant));
    }

    /** The constants that have registers. Not to be changed. */
    Map<Constant, Integer> constants() {
        return constants;
    }

    /** The register with 0x0f in every byte, where products are look-ups. */
    int nibbleMask() {
        return nibbleMask;
    }
}
