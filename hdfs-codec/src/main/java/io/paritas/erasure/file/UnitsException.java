/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import java.io.IOException;

/** The unit files that were found do not allow what was asked for. */
public final class UnitsException extends IOException {
    private static final long serialVersionUID = 1L;

    public UnitsException(String message) {
        super(message);
    }
}
