/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.SystematicCode;
import io.paritas.erasure.kernel.Regions;
import java.util.Arrays;
import java.util.stream.IntStream;

/** A {@link SystematicCode} on the buffers of a stripe, of either kind. */
final class OurCode implements JavaLane.Work {
    private final SystematicCode code;
    private final Stripe stripe;
    private final Regions units;
    private final Regions data;
    private final Regions parity;

    OurCode(SystematicCode code, Stripe stripe) {
        this.code = code;
        this.stripe = stripe;
        units = Regions.of(stripe.units());
        data = Regions.of(stripe.data());
        parity = Regions.of(stripe.parity());
    }

    @Override
    public void encode() {
        code.encode(data, parity);
    }

    @Override
    public void decode(int erased) {
        Erasures lost = Erasures.of(IntStream.range(0, erased).toArray());
        RepairPlan plan = code.repairPlan(lost, lost);
        plan.apply(units.pick(plan.sources()), Regions.of(Arrays.copyOf(stripe.outputs(), erased)));
    }
}
