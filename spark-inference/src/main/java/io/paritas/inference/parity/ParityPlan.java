/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import java.io.Serializable;

/** Which parity models to make. */
public record ParityPlan(Combinations code, Encoding encoding, Target target) implements Serializable {

    /** Checks that the target fits. */
    public ParityPlan {
        if (target == Target.DISTRIBUTION && encoding != Encoding.CONCATENATION) {
            throw new IllegalArgumentException(
                    "the cross entropy to the labels' distribution is for concatenated images," + " not for " + encoding
                            + ": use the targets OUTPUTS or LABELS");
        }
    }
}
