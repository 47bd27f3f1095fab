/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.RepairPlan;
import java.util.stream.IntStream;

/**
 * Makes what a stripe lacks.
 *
 * @param code the code
 */
record Reconstruction(ErasureCode code) {
    /**
     * Makes those of the wanted cells that were not read.
     *
     * @param read exactly k units, whose cells are in the buffer
     */
    void complete(Erasures wanted, Erasures read, StripeBuffer buffer) {
        Erasures lacking = without(wanted.stream(), read);
        if (lacking.size() > 0) {
            Erasures unread = without(IntStream.range(0, code.parameters().n()), read);
            apply(code.repairPlan(unread, lacking), buffer);
        }
    }

    /**
     * Makes the damaged cells of the others.
     *
     * @param damaged at most r units; the cells of all others are in the buffer
     */
    void replace(Erasures damaged, StripeBuffer buffer) {
        if (damaged.size() > 0) {
            apply(code.repairPlan(damaged), buffer);
        }
    }

    private static void apply(RepairPlan plan, StripeBuffer buffer) {
        plan.apply(buffer.cells(plan.sources()), buffer.cells(plan.wanted().toArray()));
    }

    private static Erasures without(IntStream units, Erasures excluded) {
        return Erasures.of(units.filter(unit -> !excluded.contains(unit)).toArray());
    }
}
