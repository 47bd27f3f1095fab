/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

/** A model cannot be read, loaded or run; the message says the rule, the values, and what to do. */
public class ModelException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ModelException(String message) {
        super(message);
    }

    public ModelException(String message, Throwable cause) {
        super(message, cause);
    }
}
