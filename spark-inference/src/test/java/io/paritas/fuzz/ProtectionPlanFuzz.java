/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.fuzz;

import io.paritas.inference.ModelException;
import io.paritas.inference.protect.ProtectionPlan;
import java.nio.charset.StandardCharsets;

/** A protection plan: whatever is accepted can be written and read again. */
public final class ProtectionPlanFuzz {
    private ProtectionPlanFuzz() {}

    public static void fuzzerTestOneInput(byte[] bytes) {
        ProtectionPlan plan;
        try {
            plan = ProtectionPlan.parse(new String(bytes, StandardCharsets.UTF_8));
        } catch (ModelException e) {
            return;
        }
        ProtectionPlan.parse(plan.json());
    }
}
