/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;

/** Thrown where queries are not taken because too many wait or the model is on its way out; a later attempt may succeed. */
@PublicApi
public final class RejectedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RejectedException(String message) {
        super(message);
    }
}
