/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How wrong predictions differ from the right ones.
 *
 * @param values how many values differ
 * @param rows the rows of the batch that they are in
 * @param bits how often each bit differs, from 0 (last of the significand) to 31 (sign)
 */
public record Difference(int values, List<Integer> rows, List<Integer> bits) {

    /** Of predictions that nobody has compared. */
    public static final Difference NONE = new Difference(0, List.of(), Collections.nCopies(Float.SIZE, 0));

    /** Copies the lists. */
    public Difference {
        rows = List.copyOf(rows);
        bits = List.copyOf(bits);
    }

    /** Compares the predictions of a batch bit by bit; NaN is equal to NaN. */
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
        return new Difference(values, wrongRows, Arrays.stream(bits).boxed().toList());
    }

    /** Adds the bits that differ in a value to their counts. */
    public static void count(int flipped, int[] bits) {
        for (int rest = flipped; rest != 0; rest &= rest - 1) {
            bits[Integer.numberOfTrailingZeros(rest)]++;
        }
    }

    /** Whether predictions of a batch are equal in every bit; NaN is equal to NaN. */
    static boolean isNone(float[] some, float[] others) {
        return IntStream.range(0, some.length).allMatch(i -> flipped(some[i], others[i]) == 0);
    }

    /** The bits that differ. Those of a NaN tell nothing: interpreted code may pick another of two NaNs than compiled code. */
    private static int flipped(float right, float wrong) {
        return Float.isNaN(right) && Float.isNaN(wrong)
                ? 0
                : Float.floatToRawIntBits(right) ^ Float.floatToRawIntBits(wrong);
    }
}
