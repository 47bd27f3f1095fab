/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The last bytes of a block, those that are no whole vector: eight by eight, then one by one. */
final class BlockTail {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private BlockTail() {}

    /** Runs a whole program on the bytes from {@code from} on. */
    static void run(int[] code, byte[][] arrays, int[] offsets, int from, int length) {
        if (from < length) {
            for (int i = 0; i < code.length; i += code[i] + 2) {
                run(code, i, arrays, offsets, from, length);
            }
        }
    }

    /** Runs the statement at this place of the code, as {@link Blocks} does, on the bytes from {@code from} on. */
    static void run(int[] code, int at, byte[][] arrays, int[] offsets, int from, int length) {
        int target = code[at + 1];
        int x = from;
        for (; x <= length - Long.BYTES; x += Long.BYTES) {
            long sum = 0;
            for (int argument = at + 2; argument < at + 2 + code[at]; argument++) {
                sum ^= (long) LONGS.get(arrays[code[argument]], offsets[code[argument]] + x);
            }
            LONGS.set(arrays[target], offsets[target] + x, sum);
        }
        for (; x < length; x++) {
            byte sum = 0;
            for (int argument = at + 2; argument < at + 2 + code[at]; argument++) {
                sum ^= arrays[code[argument]][offsets[code[argument]] + x];
            }
            arrays[target][offsets[target] + x] = sum;
        }
    }
}
