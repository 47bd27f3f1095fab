/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

/** Units are missing that the code cannot reconstruct from those that are left. */
public final class UnrecoverableException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private UnrecoverableException(String message) {
        super(message);
    }

    /** More units are missing than there are parity units. */
    static UnrecoverableException tooMany(CodeParameters code, Erasures missing) {
        return new UnrecoverableException("A " + code + " code reconstructs at most " + code.r() + " missing units; "
                + missing.size() + " are missing: " + missing);
    }

    /** The units that are left are not the right ones. */
    static UnrecoverableException dependent(CodeParameters code, Erasures outOfReach, Erasures missing, int rank) {
        int left = code.n() - missing.size();
        return new UnrecoverableException("Of this " + code + " code, units " + outOfReach
                + " cannot be reconstructed without " + missing + ": the " + left
                + " units that are left depend on one another, and are worth " + rank + " of the " + code.k()
                + " independent units that it takes");
    }
}
