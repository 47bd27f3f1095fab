/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

/** Conditions of jumps, by their codes. */
enum Condition {
    BELOW(2),
    ZERO(4),
    NOT_ZERO(5),
    LESS(12),
    NOT_LESS(13);

    final int code;

    Condition(int code) {
        this.code = code;
    }
}
