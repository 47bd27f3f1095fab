/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Runs statements on the last bytes of a block, fewer than a word: eight bytes at a time, then one. */
final class BlockTail {
    /** Views arrays as longs; generated code refers to it too, see {@link Word#LONG}. */
    static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private BlockTail() {}

    /** Runs the statement at this place of the code, as {@link BlockRunner} does, on the bytes from {@code from} on. */
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
