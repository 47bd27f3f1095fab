/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

/** More units are missing than the code can reconstruct. */
public final class UnrecoverableException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    UnrecoverableException(CodeParameters code, Erasures missing) {
        super("A " + code + " code reconstructs at most " + code.r() + " missing units; " + missing.size()
                + " are missing: " + missing);
    }
}
