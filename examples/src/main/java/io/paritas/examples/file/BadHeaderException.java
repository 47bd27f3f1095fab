/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import java.io.IOException;

/** A file does not start with an intact unit header. Its message completes the sentence "header damaged: ...". */
final class BadHeaderException extends IOException {
    private static final long serialVersionUID = 1L;

    BadHeaderException(String message) {
        super(message);
    }
}
