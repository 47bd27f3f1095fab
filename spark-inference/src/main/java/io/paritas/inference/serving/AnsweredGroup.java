/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import java.util.List;

/**
 * A coding group that instances have answered in full, though no more than k answers were needed: the predictions of all its queries, and
 * the answer to one of its parity queries. None is a reconstruction.
 *
 * @param parity number of the parity model, 0 to r − 1
 * @param predictions in the order of the queries, 1 to k of them
 * @param answer of the parity model
 */
@PublicApi
public record AnsweredGroup(int parity, List<InstanceAnswer> predictions, InstanceAnswer answer) {

    /** Copies the list. */
    public AnsweredGroup {
        predictions = List.copyOf(predictions);
    }
}
