/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

/** There is no such model, or no such version of it. */
public final class UnknownModelException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnknownModelException(String message) {
        super(message);
    }
}
