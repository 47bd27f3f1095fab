/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

/** Thrown for a row that a function cannot compute; the message says the rule and the values. */
final class RowException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    RowException(String message) {
        super(message);
    }
}
