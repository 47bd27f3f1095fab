/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.PublicApi;
import io.paritas.erasure.kernel.Regions;

/**
 * A systematic code on whole units: {@link ErasureCode}, whose methods work on any byte range of them as well, or {@link StripCode},
 * which needs all of them. Immutable and thread-safe.
 */
@PublicApi
public sealed interface SystematicCode permits ErasureCode, StripCode {

    /** The code's k and r. */
    CodeParameters parameters();

    /**
     * Encodes: makes the r parity units of the k data units.
     *
     * @throws IllegalArgumentException if the counts or the lengths do not fit
     */
    void encode(Regions data, Regions parity);

    /**
     * Returns the plan that makes the wanted units without reading the missing ones. Plans are cached, so a second call is
     * cheap.
     *
     * @param missing the units that cannot be read
     * @param wanted the units to make; one that is not missing may be read and copied
     * @throws IllegalArgumentException if no unit is wanted, or the code has no such unit
     * @throws UnrecoverableException if the units that are left do not determine a wanted unit
     */
    RepairPlan repairPlan(Erasures missing, Erasures wanted);

    /** Whether the code reconstructs these units when all of them are missing. */
    boolean canReconstruct(Erasures missing);

    /**
     * Whether the parity units are those that {@link #encode} makes of the data units. Changes nothing.
     *
     * @throws IllegalArgumentException as there
     */
    boolean verify(Regions data, Regions parity);
}
