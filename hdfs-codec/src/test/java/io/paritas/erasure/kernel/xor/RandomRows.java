/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Random matrices of bits, with rows that are empty, have one bit, or repeat. */
final class RandomRows {
    private RandomRows() {}

    static List<BitSet> of(int rows, int columns, Random random) {
        double density = random.nextDouble();
        List<BitSet> different = IntStream.range(0, rows)
                .mapToObj(row -> of(columns, random, density))
                .toList();
        BitSet one = new BitSet();
        one.set(random.nextInt(columns));
        BitSet again = different.get(random.nextInt(rows));
        return Stream.concat(different.stream(), Stream.of(new BitSet(), one, again))
                .toList();
    }

    private static BitSet of(int columns, Random random, double density) {
        BitSet row = new BitSet(columns);
        IntStream.range(0, columns)
                .filter(column -> random.nextDouble() < density)
                .forEach(row::set);
        return row;
    }
}
