/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** Thrown when a kernel's result does not satisfy its own equations: the processor or the memory made a mistake. */
public final class CodingFaultException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param inputs how many units were read, and {@code outputs}, how many were made
     */
    public CodingFaultException(int inputs, int outputs) {
        super("Coding " + inputs + " units to " + outputs
                + " went wrong in this process: the folded result does not satisfy the code's equations, so a bit flipped"
                + " in the processor or in memory. The outputs must not be used. Repeat the operation, elsewhere if"
                + " it happens again, and check the machine");
    }
}
