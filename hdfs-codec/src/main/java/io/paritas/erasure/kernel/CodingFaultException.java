/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import io.paritas.PublicApi;

/** Thrown when a kernel's result does not satisfy its own equations: the processor or the memory made a mistake. */
@PublicApi
public final class CodingFaultException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param inputs how many units were read
     * @param outputs how many units were made
     */
    public CodingFaultException(int inputs, int outputs) {
        super("coding " + inputs + " units to " + outputs
                + " went wrong in this process: the folded result does not satisfy the code's equations, so a bit"
                + " flipped in the processor or in memory; do not use the outputs, repeat the operation, elsewhere if"
                + " it happens again, and check the machine");
    }
}
