/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;

/**
 * Thrown if an engine reads a model, but does not run what the model consists of: another engine may. {@code auto} goes on to the next
 * one.
 */
@PublicApi
public class UnsupportedModelException extends ModelException {
    private static final long serialVersionUID = 1;

    /** An exception without a cause. */
    public UnsupportedModelException(String message) {
        super(message);
    }

    /** An exception with a cause. */
    public UnsupportedModelException(String message, Throwable cause) {
        super(message, cause);
    }
}
