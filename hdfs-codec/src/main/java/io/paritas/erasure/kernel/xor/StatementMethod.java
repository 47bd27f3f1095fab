/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/** Generated code that runs one statement of a {@link BlockProgram} on whole words. */
interface StatementMethod {
    /**
     * Runs the statement at a place of the code.
     *
     * @param code the code of a {@link BlockProgram}, and {@code at}, where the statement starts
     * @param arrays the array of each block, and {@code offsets}, where the block starts in it
     * @param length bytes of a block
     * @return how many bytes of the block are done; fewer than one word are left
     */
    int run(int[] code, int at, byte[][] arrays, int[] offsets, int length);
}
