/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

/** Conditions of jumps, by their codes. */
enum Condition {
    BELOW(2, 3),
    ZERO(4, 0),
    NOT_ZERO(5, 1),
    LESS(12, 11),
    NOT_LESS(13, 10);

    final int x86;
    final int arm;

    Condition(int x86, int arm) {
        this.x86 = x86;
        this.arm = arm;
    }
}
