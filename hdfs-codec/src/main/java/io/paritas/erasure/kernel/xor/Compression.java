/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Binary xors that compute all goals of a linear system over GF(2), as few as a greedy search finds.
 *
 * <p>A goal is a set of constants, and means their xor. Values are numbered: 0..constants − 1 are the constants,
 * constants + i is the i-th definition, the xor of two earlier values.
 *
 * @param constants number of constants
 * @param definitions the two values that each definition adds, in an order in which they can be computed
 * @param goals the value of each goal, {@link XorProgram#ZERO} for the empty one
 */
public record Compression(int constants, int[][] definitions, int[] goals) {
    /**
     * XorRePair (Uezato, section 4): before it chooses a pair, it re-expresses the goals by the values defined so far, which
     * finds xors that cancel.
     *
     * @param goals sets of constants; they may be empty, be one constant alone, or repeat
     */
    public static Compression xorRePair(int constants, List<BitSet> goals, Deadline deadline) {
        return run(new PairSearch(constants, PairSearch.Rebuild.GREEDY, deadline), constants, goals);
    }

    /**
     * RePair (Uezato, section 4, after Larsson and Moffat): replaces the most frequent pair of terms by a new one
     * until each goal is one term.
     *
     * @param goals sets of constants; they may be empty, be one constant alone, or repeat
     */
    public static Compression rePair(int constants, List<BitSet> goals, Deadline deadline) {
        return run(new PairSearch(constants, PairSearch.Rebuild.NEVER, deadline), constants, goals);
    }

    private static Compression run(PairSearch search, int constants, List<BitSet> goals) {
        Map<BitSet, PairSearch.Goal> distinct = new LinkedHashMap<>();
        for (BitSet goal : goals) {
            if (goal.length() > constants) {
                throw new IllegalArgumentException(
                        "a goal must be a set of the constants 0.." + (constants - 1) + ", got " + goal);
            }
            if (goal.cardinality() > 1 && !distinct.containsKey(goal)) {
                distinct.put((BitSet) goal.clone(), search.add(goal));
            }
        }
        search.run();
        int[] values = goals.stream()
                .mapToInt(goal -> goal.cardinality() > 1 ? distinct.get(goal).result() : goal.nextSetBit(0))
                .toArray();
        return new Compression(constants, search.definitions(), values);
    }
}
