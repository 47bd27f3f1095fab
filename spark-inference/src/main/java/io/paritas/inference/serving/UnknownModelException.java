/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;

/** Thrown for a model, or a version of one, that is not served. */
@PublicApi
public final class UnknownModelException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** With a message that says which models there are. */
    public UnknownModelException(String message) {
        super(message);
    }
}
