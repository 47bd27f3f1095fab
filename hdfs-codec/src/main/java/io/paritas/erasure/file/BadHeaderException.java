/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import java.io.IOException;

/** Thrown when a file does not start with an intact unit header. The message completes "header damaged: ...". */
public final class BadHeaderException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public BadHeaderException(String message) {
        super(message);
    }
}
