/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Greedy common-subexpression elimination over sums: the terms that most sums share become a sum of their own. Paar,
 * "Optimized arithmetic for Reed-Solomon encoders", ISIT 1997, does it for pairs; here also for three terms, because AVX-512
 * xors three vectors in one instruction.
 *
 * <p>Sharing does not always pay: where one instruction adds three terms, a pair shared by two sums saves nothing and takes
 * a register. So the caller tries several policies and counts.
 */
final class Sharing {
    /**
     * When a common part becomes a sum of its own.
     *
     * @param terms terms of the part
     * @param uses least number of sums that have it
     */
    record Policy(int terms, int uses) {}

    private final List<BitSet> sums;
    private final List<List<Integer>> shared = new ArrayList<>();
    private final int firstShared;

    /**
     * @param sums the terms of each sum; not changed
     * @param terms the numbers of the terms are below this; shared sums are numbered from here on
     */
    Sharing(List<BitSet> sums, int terms) {
        this.sums = sums.stream().map(sum -> (BitSet) sum.clone()).toList();
        this.firstShared = terms;
    }

    /** Shares until nothing more meets the policy. */
    Sharing apply(Policy policy) {
        Map<List<Integer>, Integer> uses = new HashMap<>();
        sums.forEach(sum -> count(sum, policy.terms, 1, uses));
        while (true) {
            List<Integer> best = null;
            for (Map.Entry<List<Integer>, Integer> part : uses.entrySet()) {
                int count = part.getValue();
                if (count >= policy.uses && (best == null || isBefore(part.getKey(), count, best, uses.get(best)))) {
                    best = part.getKey();
                }
            }
            if (best == null) {
                return this;
            }
            share(best, uses);
        }
    }

    /** More uses first; then the lower numbers, so that the result does not depend on the order of a map. */
    private static boolean isBefore(List<Integer> part, int uses, List<Integer> best, int bestUses) {
        if (uses != bestUses) {
            return uses > bestUses;
        }
        for (int i = 0; i < part.size(); i++) {
            if (!part.get(i).equals(best.get(i))) {
                return part.get(i) < best.get(i);
            }
        }
        return false;
    }

    /** Adds to the uses of all parts of a sum. */
    private static void count(BitSet sum, int size, int by, Map<List<Integer>, Integer> uses) {
        int[] terms = sum.stream().toArray();
        for (int a = 0; a < terms.length; a++) {
            for (int b = a + 1; b < terms.length; b++) {
                if (size == 2) {
                    add(List.of(terms[a], terms[b]), by, uses);
                } else {
                    for (int c = b + 1; c < terms.length; c++) {
                        add(List.of(terms[a], terms[b], terms[c]), by, uses);
                    }
                }
            }
        }
    }

    private static void add(List<Integer> part, int by, Map<List<Integer>, Integer> uses) {
        uses.merge(part, by, (before, more) -> before + more == 0 ? null : before + more);
    }

    /** Makes a part a sum of its own, and counts anew what the sums that have it use. */
    private void share(List<Integer> part, Map<List<Integer>, Integer> uses) {
        int number = firstShared + shared.size();
        shared.add(part);
        BitSet bits = new BitSet();
        part.forEach(bits::set);
        for (BitSet sum : sums) {
            BitSet missing = (BitSet) bits.clone();
            missing.andNot(sum);
            if (missing.isEmpty()) {
                count(sum, part.size(), -1, uses);
                sum.andNot(bits);
                sum.set(number);
                count(sum, part.size(), 1, uses);
            }
        }
    }

    /** The terms of a shared sum. */
    List<Integer> shared(int term) {
        return shared.get(term - firstShared);
    }

    /** The terms of a sum, ascending; shared ones come last. */
    List<Integer> sum(int index) {
        return IntStream.of(sums.get(index).stream().toArray()).boxed().toList();
    }
}
