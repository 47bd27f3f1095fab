/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import java.io.Serializable;

/**
 * The parity models to train.
 *
 * @param code k and r
 * @param encoding how queries are combined
 * @param target what parity models answer
 */
@PublicApi
public record ParityPlan(Combinations code, Encoding encoding, Target target) implements Serializable {

    /** Checks that the target fits. */
    public ParityPlan {
        if (target == Target.DISTRIBUTION && encoding != Encoding.CONCATENATION) {
            throw new IllegalArgumentException("the target DISTRIBUTION needs the encoding CONCATENATION, got "
                    + encoding + ": use the targets OUTPUTS or LABELS");
        }
    }
}
