/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

/** Data cannot be read or do not fit together; the message names the file, the rule and the values. */
public class DataException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public DataException(String message) {
        super(message);
    }

    public DataException(String message, Throwable cause) {
        super(message, cause);
    }
}
