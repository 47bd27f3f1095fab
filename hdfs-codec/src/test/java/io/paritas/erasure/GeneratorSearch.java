/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Searches generators whose product takes few instructions, among the columns whose coefficients have a low degree: the
 * program that found the matrices of {@link Generators#paritas} and {@link Generators#lrc}.
 *
 * <p>It takes a few columns away, puts others there that the remaining ones admit, and keeps the change if the generator
 * then has more columns, or costs not more, or now and then up to one xor more. The cost is that of {@link ProgramCost},
 * and among equals the number of terms, which a kernel without common subexpressions has to add. One seed gives one sequence
 * of generators; the time says where it ends.
 */
final class GeneratorSearch {
    /** How many of the admitted columns are compared for a place. */
    private static final int SAMPLE = 24;

    /** What an xor costs, compared with a term. */
    private static final int XOR = 1000;

    /** What a missing column costs, compared with a term. */
    private static final int MISSING = 1_000_000;

    /** How many changes without a new best generator before the search starts from nothing. */
    private static final int PATIENCE = 4000;

    private final ColumnSet columns;
    private final int[] places;
    private final Random random;
    private int[] best;
    private int bestCost = Integer.MAX_VALUE;

    GeneratorSearch(ColumnSet columns, int k, long seed) {
        this.columns = columns;
        places = new int[k];
        Arrays.fill(places, -1);
        random = new Random(seed);
    }

    /**
     * {@code SECONDS SEED mds K DEGREE…} with the highest degree of each row but the first, or {@code SECONDS SEED lrc K
     * GROUPS DEGREE DEGREE} with those of the global rows.
     */
    public static void main(String[] arguments) {
        int[] numbers = Arrays.stream(arguments, 3, arguments.length)
                .mapToInt(Integer::parseInt)
                .toArray();
        ColumnSet columns = "mds".equals(arguments[2])
                ? new ArcColumns(numbers[0], Arrays.copyOfRange(numbers, 1, numbers.length))
                : new LocalGroupColumns(numbers[0], numbers[1], Arrays.copyOfRange(numbers, 2, numbers.length));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(arguments[0]));
        GeneratorSearch search = new GeneratorSearch(columns, numbers[0], Long.parseLong(arguments[1]));
        int[][] rows = search.best(() -> System.nanoTime() < deadline);
        System.out.printf("%d columns, %s: %s%n", rows[0].length, ProgramCost.of(rows), Arrays.deepToString(rows));
    }

    /** The rows of the cheapest generator that was found while there was time for another change. */
    int[][] best(BooleanSupplier moreTime) {
        while (moreTime.getAsBoolean()) {
            IntStream.range(0, places.length).forEach(this::clear);
            fill(1);
            int current = cost(places);
            int reached = current;
            for (int idle = 0; idle < PATIENCE && moreTime.getAsBoolean(); idle++) {
                current = change(current);
                if (current < reached) {
                    reached = current;
                    idle = 0;
                }
                if (current < bestCost) {
                    bestCost = current;
                    best = places.clone();
                }
            }
        }
        return columns.rows(best);
    }

    /** Takes one to four columns away and fills their places; undoes it if that is worse. */
    private int change(int current) {
        int[] before = places.clone();
        int count = 1 + random.nextInt(Math.min(4, places.length));
        random.ints(count, 0, places.length).forEach(this::clear);
        fill(random.nextInt(4) == 0 ? 1 : SAMPLE);
        int changed = cost(places);
        if (changed <= current || (changed <= current + XOR && random.nextInt(20) == 0)) {
            return changed;
        }
        for (int place = 0; place < places.length; place++) {
            if (places[place] != before[place]) {
                clear(place);
            }
        }
        for (int place = 0; place < places.length; place++) {
            if (places[place] != before[place]) {
                put(place, before[place]);
            }
        }
        return current;
    }

    private void fill(int sample) {
        int[] order = IntStream.range(0, places.length)
                .filter(place -> places[place] < 0)
                .toArray();
        for (int i = order.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int swapped = order[i];
            order[i] = order[j];
            order[j] = swapped;
        }
        for (int place : order) {
            int[] admitted = IntStream.range(0, columns.candidates())
                    .filter(candidate -> columns.admits(place, candidate))
                    .toArray();
            if (admitted.length > 0) {
                put(place, cheapest(place, admitted, sample));
            }
        }
    }

    private int cheapest(int place, int[] admitted, int sample) {
        int[] tried = places.clone();
        int cheapest = -1;
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < sample; i++) {
            tried[place] = admitted[random.nextInt(admitted.length)];
            int cost = cost(tried);
            if (cost < least) {
                least = cost;
                cheapest = tried[place];
            }
        }
        return cheapest;
    }

    private int cost(int[] candidates) {
        int missing = (int) Arrays.stream(candidates).filter(c -> c < 0).count();
        return MISSING * missing + (missing == candidates.length ? 0 : cost(columns.rows(candidates)));
    }

    private static int cost(int[][] rows) {
        int terms = Arrays.stream(rows)
                .flatMapToInt(Arrays::stream)
                .map(Integer::bitCount)
                .sum();
        return XOR * ProgramCost.of(rows).xors() + terms;
    }

    private void put(int place, int candidate) {
        if (candidate >= 0) {
            columns.put(place, candidate);
            places[place] = candidate;
        }
    }

    private void clear(int place) {
        if (places[place] >= 0) {
            columns.clear(place);
            places[place] = -1;
        }
    }
}
