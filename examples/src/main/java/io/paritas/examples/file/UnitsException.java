/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import java.io.IOException;

/** The unit files that were found do not allow what was asked for. */
final class UnitsException extends IOException {
    private static final long serialVersionUID = 1L;

    UnitsException(String message) {
        super(message);
    }
}
