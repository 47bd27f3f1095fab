/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.UnrecoverableException;

/**
 * Makes what a stripe lacks.
 *
 * @param code the code
 */
record Reconstruction(ErasureCode code) {
    /**
     * Brings the wanted cells of a stripe into the buffer: reads those that are intact, makes the others, and reads no
     * more units than that takes. A chunk that turns out to be damaged is missing from then on.
     *
     * @throws UnitsException if the intact chunks do not suffice
     */
    void obtain(Erasures wanted, long stripe, UnitReaders readers, StripeBuffer buffer) throws UnitsException {
        readers.begin(stripe, buffer);
        Erasures missing = readers.lost();
        Erasures read = Erasures.none();
        while (true) {
            Erasures there = without(wanted, missing);
            Erasures lacking = without(wanted, there);
            Erasures needed = lacking.size() == 0 ? there : there.union(sources(missing, lacking, readers));
            Erasures damaged = readers.read(without(needed, read));
            if (damaged.size() == 0) {
                replace(missing, lacking, buffer);
                return;
            }
            read = read.union(without(needed, damaged));
            missing = missing.union(damaged);
        }
    }

    private Erasures sources(Erasures missing, Erasures wanted, UnitReaders readers) throws UnitsException {
        try {
            return Erasures.of(code.repairPlan(missing, wanted).sources());
        } catch (UnrecoverableException e) {
            throw readers.tooFew();
        }
    }

    /**
     * Makes the wanted cells.
     *
     * @param missing the units whose cells are not in the buffer
     */
    void replace(Erasures missing, Erasures wanted, StripeBuffer buffer) {
        if (wanted.size() > 0) {
            RepairPlan plan = code.repairPlan(missing, wanted);
            plan.apply(buffer.cells(plan.sources()), buffer.cells(plan.wanted().toArray()));
        }
    }

    private static Erasures without(Erasures units, Erasures excluded) {
        return Erasures.of(
                units.stream().filter(unit -> !excluded.contains(unit)).toArray());
    }
}
