/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Greedy common-subexpression elimination over sums: the terms that most sums have in common become a sum of their own.
 * Paar, "Optimized arithmetic for Reed-Solomon encoders", ISIT 1997, for pairs; here also for three terms, because
 * AVX-512 xors three vectors at once.
 *
 * <p>Pairs that occur twice are not always worth it: where three terms are one instruction, sharing a pair between two
 * sums saves nothing and keeps one more register busy. So there are several policies, and the caller counts.
 */
final class Sharing {
    /** When a common part becomes a sum of its own: how many terms it has, and how many sums must have it. */
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
        while (true) {
            Map<List<Integer>, Integer> uses = count(policy.terms);
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
            share(best);
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

    private Map<List<Integer>, Integer> count(int size) {
        Map<List<Integer>, Integer> uses = new HashMap<>();
        for (BitSet sum : sums) {
            int[] terms = sum.stream().toArray();
            for (int a = 0; a < terms.length; a++) {
                for (int b = a + 1; b < terms.length; b++) {
                    if (size == 2) {
                        uses.merge(List.of(terms[a], terms[b]), 1, Integer::sum);
                    } else {
                        for (int c = b + 1; c < terms.length; c++) {
                            uses.merge(List.of(terms[a], terms[b], terms[c]), 1, Integer::sum);
                        }
                    }
                }
            }
        }
        return uses;
    }

    private void share(List<Integer> part) {
        int number = firstShared + shared.size();
        shared.add(part);
        BitSet bits = new BitSet();
        part.forEach(bits::set);
        for (BitSet sum : sums) {
            BitSet missing = (BitSet) bits.clone();
            missing.andNot(sum);
            if (missing.isEmpty()) {
                sum.andNot(bits);
                sum.set(number);
            }
        }
    }

    boolean isShared(int term) {
        return term >= firstShared;
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
