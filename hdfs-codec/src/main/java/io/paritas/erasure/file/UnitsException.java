/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import java.io.IOException;

/** Thrown when the unit files that were found do not suffice for an operation, or cannot be read by this version. */
public final class UnitsException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public UnitsException(String message) {
        super(message);
    }
}
