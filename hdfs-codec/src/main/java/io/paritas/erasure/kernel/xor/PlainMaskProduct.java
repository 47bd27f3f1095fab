/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.Arrays;

/**
 * A {@link MaskProduct} in plain Java that leaves no remainder. It adds one input at a time to one row, in a loop that C2
 * vectorises.
 */
record PlainMaskProduct(int rows) implements MaskProduct {
    @Override
    public int apply(Operands operands, byte[][] blocks, int[] offsets, int from, int length) {
        int first = operands.first();
        int target = operands.target();
        for (int row = 0; row < rows && from < length; row++) {
            byte[] sum = blocks[target + row];
            int sumAt = offsets[target + row];
            Arrays.fill(sum, sumAt + from, sumAt + length, (byte) 0);
            for (int input = 0; input < operands.inputs(); input++) {
                int mask = operands.masks()[input * rows + row];
                add(sum, sumAt, blocks[first + input], offsets[first + input], (byte) mask, from, length);
            }
        }
        return length;
    }

    private static void add(byte[] sum, int sumAt, byte[] input, int inputAt, byte mask, int from, int length) {
        for (int x = from; x < length; x++) {
            sum[sumAt + x] = (byte) (sum[sumAt + x] ^ (input[inputAt + x] & mask));
        }
    }
}
