/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

/** Says that a row is not an input of the model. The message names the column, the rule and the values. */
public final class RowException extends Exception {
    private static final long serialVersionUID = 1;

    RowException(String message) {
        super(message);
    }

    RowException(String message, Throwable cause) {
        super(message, cause);
    }
}
