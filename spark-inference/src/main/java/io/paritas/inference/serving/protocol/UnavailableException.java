/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

/** Rows of a request are unavailable; the message says how many, and why. */
public final class UnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnavailableException(String message) {
        super(message, null, false, false);
    }
}
