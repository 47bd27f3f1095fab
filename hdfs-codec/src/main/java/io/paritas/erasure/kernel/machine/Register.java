/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

/** A general register. */
sealed interface Register permits X86Register, ArmRegister {
    /** The number in an encoding. */
    int number();
}
