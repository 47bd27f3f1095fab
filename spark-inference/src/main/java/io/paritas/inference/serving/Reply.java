/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

/**
 * The one reply to a query.
 *
 * @param origin how it was obtained
 * @param values the prediction, of the model's output size; null if it is unavailable
 * @param reason why it is unavailable, and what to do; empty otherwise
 */
@SuppressWarnings("ArrayRecordComponent") // replies are handed on, never compared
public record Reply(Origin origin, float[] values, String reason) {

    static Reply of(Origin origin, float[] values) {
        return new Reply(origin, values, "");
    }

    static Reply unavailable(String reason) {
        return new Reply(Origin.UNAVAILABLE, null, reason);
    }
}
