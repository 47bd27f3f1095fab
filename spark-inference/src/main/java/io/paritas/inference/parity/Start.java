/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;

/** The weights that the training of a parity model starts from. */
@PublicApi
public enum Start {
    /** The deployed model's, which has the same architecture: what it looks for in one input serves in several at once. */
    MODEL,
    /** Fresh ones (thesis, 8.3). */
    FRESH;

    /**
     * What is better for a target: the deployed model's weights, except for {@link Target#LABELS}. Those are numbers between 0 and k,
     * and a classifier's outputs are larger.
     */
    public static Start usual(Target target) {
        return target == Target.LABELS ? FRESH : MODEL;
    }
}
