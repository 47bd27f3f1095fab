/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

/** A place in memory. */
sealed interface Memory {
    /**
     * The place base + index + displacement.
     *
     * @param index null for none; never the stack
     */
    record At(Register base, Register index, int displacement) implements Memory {}

    /** A constant behind the code, by its offset there and its number of bytes. */
    record Constant(int offset, int size) implements Memory {}
}
