/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.PublicApi;

/** Thrown when the units that are left do not determine the missing ones. */
@PublicApi
public final class UnrecoverableException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private UnrecoverableException(String message) {
        super(message);
    }

    /** More units are missing than there are parity units. */
    static UnrecoverableException tooMany(CodeParameters code, Erasures missing) {
        return new UnrecoverableException("a " + code + " code reconstructs at most " + code.r() + " missing units, "
                + missing.size() + " are missing: " + missing);
    }

    /** The units that are left depend on one another. */
    static UnrecoverableException dependent(CodeParameters code, Erasures outOfReach, Erasures missing, int rank) {
        int left = code.n() - missing.size();
        return new UnrecoverableException(
                "units " + outOfReach + " of a " + code + " code cannot be reconstructed without "
                        + missing + ": the " + left + " units that are left are worth " + rank + " of the " + code.k()
                        + " independent units needed");
    }
}
