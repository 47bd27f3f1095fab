/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

/** A query that was not taken, because there are too many or the front end ends; another attempt later may succeed. */
public final class RejectedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RejectedException(String message) {
        super(message);
    }
}
