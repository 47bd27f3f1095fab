/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.SystematicCode;
import io.paritas.erasure.UnrecoverableException;

/**
 * Reconstructs missing cells of a stripe.
 *
 * @param code code of the stripe
 */
public record Reconstruction(SystematicCode code) {
    /**
     * Brings the wanted cells of a stripe into the buffer: reads the intact ones and reconstructs the others, reading as few
     * units as possible. A chunk found damaged counts as missing from then on.
     *
     * @throws UnitsException if the intact chunks do not suffice
     */
    public void obtain(Erasures wanted, long stripe, StripeReader reader, StripeBuffer buffer) throws UnitsException {
        reader.begin(stripe, buffer);
        Erasures missing = reader.lost();
        Erasures read = Erasures.none();
        while (true) {
            Erasures there = without(wanted, missing);
            Erasures lacking = without(wanted, there);
            Erasures needed = lacking.size() == 0 ? there : there.union(sources(missing, lacking, reader));
            Erasures damaged = reader.read(without(needed, read));
            if (damaged.size() == 0) {
                replace(missing, lacking, buffer);
                return;
            }
            read = read.union(without(needed, damaged));
            missing = missing.union(damaged);
        }
    }

    private Erasures sources(Erasures missing, Erasures wanted, StripeReader reader) throws UnitsException {
        try {
            return Erasures.of(code.repairPlan(missing, wanted).sources());
        } catch (UnrecoverableException e) {
            throw reader.tooFew();
        }
    }

    /**
     * Reconstructs the wanted cells in the buffer.
     *
     * @param missing units whose cells are not in the buffer
     */
    public void replace(Erasures missing, Erasures wanted, StripeBuffer buffer) {
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
