/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import java.io.IOException;

/** A file does not start with an intact unit header. Its message completes the sentence "header damaged: ...". */
public final class BadHeaderException extends IOException {
    private static final long serialVersionUID = 1L;

    public BadHeaderException(String message) {
        super(message);
    }
}
