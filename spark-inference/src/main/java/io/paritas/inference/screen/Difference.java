/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.util.ArrayList;
import java.util.List;

/**
 * How wrong predictions differ from the right ones.
 *
 * @param values how many values differ
 * @param rows the rows of the batch that they are in
 * @param bits how often each bit differs, from 0 (last of the significand) to 31 (sign)
 */
public record Difference(int values, List<Integer> rows, List<Integer> bits) {

    /** Copies the lists. */
    public Difference {
        rows = List.copyOf(rows);
        bits = List.copyOf(bits);
    }

    /** Compares the predictions of a batch bit by bit. */
    static Difference of(float[] right, float[] wrong, int rows) {
        int size = right.length / rows;
        int values = 0;
        List<Integer> wrongRows = new ArrayList<>();
        int[] bits = new int[Float.SIZE];
        for (int i = 0; i < right.length; i++) {
            int flipped = flipped(right[i], wrong[i]);
            if (flipped != 0) {
                values++;
                count(flipped, bits);
                int row = i / size;
                if (wrongRows.isEmpty() || wrongRows.get(wrongRows.size() - 1) != row) {
                    wrongRows.add(row);
                }
            }
        }
        return new Difference(
                values, wrongRows, java.util.Arrays.stream(bits).boxed().toList());
    }

    private static void count(int flipped, int[] bits) {
        for (int rest = flipped; rest != 0; rest &= rest - 1) {
            bits[Integer.numberOfTrailingZeros(rest)]++;
        }
    }

    /** Index of the first value that differs in a bit; -1 if none does. */
    static int mismatch(float[] right, float[] wrong) {
        for (int i = 0; i < right.length; i++) {
            if (flipped(right[i], wrong[i]) != 0) {
                return i;
            }
        }
        return -1;
    }

    private static int flipped(float right, float wrong) {
        return Float.floatToRawIntBits(right) ^ Float.floatToRawIntBits(wrong);
    }
}
