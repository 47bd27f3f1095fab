/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import io.paritas.inference.Outcome;

/**
 * The reply to a query.
 *
 * @param outcome how it was obtained
 * @param values the prediction, of the model's output size; null if it is unavailable
 * @param reason why it is unavailable, and what to do; empty otherwise
 */
@PublicApi
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Reply(Outcome outcome, float[] values, String reason) {

    static Reply of(Outcome outcome, float[] values) {
        return new Reply(outcome, values, "");
    }

    static Reply unavailable(String reason) {
        return new Reply(Outcome.UNAVAILABLE, null, reason);
    }
}
