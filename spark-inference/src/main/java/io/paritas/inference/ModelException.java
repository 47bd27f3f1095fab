/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;

/** Thrown if a model cannot be read, loaded or run. The message has the rule, the values, and what to do. */
@PublicApi
public class ModelException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** An exception without a cause. */
    public ModelException(String message) {
        super(message);
    }

    /** An exception with a cause. */
    public ModelException(String message, Throwable cause) {
        super(message, cause);
    }
}
