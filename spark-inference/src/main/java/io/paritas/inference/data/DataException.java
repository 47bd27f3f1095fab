/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

/** Thrown if data cannot be read or do not fit together. The message has the file, the rule and the values. */
public class DataException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public DataException(String message) {
        super(message);
    }

    public DataException(String message, Throwable cause) {
        super(message, cause);
    }
}
