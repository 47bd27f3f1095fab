/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.util.Locale;

/** Thrown when a requirement of the quickstart does not hold. The message has the rule, the values, and what to do. */
final class CheckFailed extends RuntimeException {
    private static final long serialVersionUID = 1;

    CheckFailed(String message) {
        super(message);
    }

    CheckFailed(String message, Throwable cause) {
        super(message, cause);
    }

    /** Fails unless the rule holds. The message is a format as in {@link String#format}. */
    static void require(boolean holds, String message, Object... values) {
        if (!holds) {
            throw new CheckFailed(String.format(Locale.ROOT, message, values));
        }
    }
}
