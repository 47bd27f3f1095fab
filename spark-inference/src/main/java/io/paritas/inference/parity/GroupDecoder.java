/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import java.util.BitSet;

/** Reconstructs the missing predictions of a group. Thread-safe. */
@PublicApi
public interface GroupDecoder {

    /**
     * Replaces missing predictions by their reconstructions, as far as there are any and they are finite. Nothing is reconstructed if
     * there are fewer answers than missing predictions.
     *
     * @param predictions of 1 to k members, null where missing; those without a reconstruction stay null
     * @param answers to the r parity queries, null where missing
     * @return the reconstructed predictions: all that were missing, some of them, or none
     * @throws IllegalArgumentException if the numbers of members, answers or values do not fit
     */
    BitSet decode(float[][] predictions, float[][] answers);
}
