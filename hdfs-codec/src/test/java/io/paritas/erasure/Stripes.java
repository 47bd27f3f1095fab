/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.erasure.kernel.KernelChoice;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Random stripes for tests, all from one seed: {@code -Dio.paritas.test.seed}, printed with every failure. */
public final class Stripes {
    /** The seed of this run. */
    public static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_121L);

    private static final boolean VECTORS =
            KernelChoice.current().provider().name().equals("vector");

    /** On vectors, each product is a class of its own, which a JVM interprets at first. Other kernels run eight times as many. */
    private static final int SPARED = VECTORS ? 8 : 1;

    private Stripes() {}

    /** The generator of one test case: equal seeds and cases give equal bytes. */
    public static Random random(Object... testCase) {
        return new Random(SEED ^ Arrays.deepHashCode(testCase));
    }

    /** As many arrays of random bytes. */
    public static byte[][] units(int count, int length, Random random) {
        byte[][] units = new byte[count][length];
        Arrays.stream(units).forEach(random::nextBytes);
        return units;
    }

    /** A whole stripe: random data units, and the parity units that the code makes of them. */
    public static byte[][] encoded(ErasureCode code, int length, Random random) {
        CodeParameters parameters = code.parameters();
        byte[][] units = units(parameters.n(), length, random); // parity starts dirty
        code.encode(Arrays.copyOf(units, parameters.k()), Arrays.copyOfRange(units, parameters.k(), parameters.n()));
        return units;
    }

    /** Copies the stripe, with other bytes in the missing units. */
    public static byte[][] damaged(byte[][] units, Erasures missing) {
        byte[][] damaged = Arrays.stream(units).map(byte[]::clone).toArray(byte[][]::new);
        missing.stream().forEach(unit -> Arrays.fill(damaged[unit], (byte) 0x5a));
        return damaged;
    }

    /** Every set of 1 to r of the n units. */
    public static Stream<Erasures> allErasures(CodeParameters code) {
        return IntStream.range(1, 1 << code.n())
                .filter(bits -> Integer.bitCount(bits) <= code.r())
                .mapToObj(bits -> Erasures.of(IntStream.range(0, code.n())
                        .filter(i -> (bits >> i & 1) != 0)
                        .toArray()));
    }

    /** The patterns of {@link #allErasures} whose bytes a test compares: all of them, or on vectors the single losses and some. */
    public static Stream<Erasures> comparedErasures(CodeParameters code) {
        return allErasures(code).filter(missing -> isCompared(missing, 1));
    }

    /** @param oneOf of how many patterns one is compared, at least */
    static boolean isCompared(Erasures missing, int oneOf) {
        return missing.size() == 1 || Math.floorMod(Arrays.hashCode(missing.toArray()), oneOf * SPARED) == 0;
    }

    /** Calls with every way to choose {@code size} of the numbers below {@code bound}, ascending. */
    static void combinations(int bound, int size, Consumer<int[]> action) {
        int[] chosen = IntStream.range(0, size).toArray();
        while (true) {
            action.accept(chosen.clone());
            int last = size - 1;
            while (last >= 0 && chosen[last] == bound - size + last) {
                last--;
            }
            if (last < 0) {
                return;
            }
            chosen[last]++;
            for (int i = last + 1; i < size; i++) {
                chosen[i] = chosen[i - 1] + 1;
            }
        }
    }
}
