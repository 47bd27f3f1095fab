/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;

/**
 * The search of {@link Compression}. Each goal has a representation: a set of terms, which are values, whose xor it is. Until
 * every goal is one term, the search takes the pair of terms that most representations contain, the lexicographically largest
 * among equals, defines its xor, and replaces the pair by it everywhere.
 *
 * <p>All choices are made in the order of Uezato's program, so the counts of the paper come out.
 */
final class PairSearch {
    /** Whether a new value makes representations be rebuilt. */
    enum Rebuild {
        NEVER,
        GREEDY
    }

    private final int constants;
    private final Rebuild rebuild;
    private final Deadline deadline;
    private final List<Goal> remaining = new ArrayList<>();
    private final List<int[]> definitions = new ArrayList<>();
    /** Each definition as a set of constants. */
    private final List<long[]> values = new ArrayList<>();
    /** How many representations contain the pair i &lt; j, at j(j − 1) / 2 + i; all zero between two searches. */
    private short[] occurrences = new short[0];

    private int bestLeft;
    private int bestRight;

    PairSearch(int constants, Rebuild rebuild, Deadline deadline) {
        this.constants = constants;
        this.rebuild = rebuild;
        this.deadline = deadline;
    }

    /** Adds a goal of two or more constants that differs from all others. */
    Goal add(BitSet constantsOfGoal) {
        Goal goal = new Goal(constantsOfGoal);
        remaining.add(goal);
        return goal;
    }

    void run() {
        while (!remaining.isEmpty() && findPair()) {
            int left = bestLeft;
            int right = bestRight;
            int value = define(left, right);
            remaining.forEach(goal -> goal.replace(left, right, value));
            removeAchieved(value);
            if (rebuild == Rebuild.GREEDY) {
                remaining.forEach(Goal::rebuild);
            }
        }
        remaining.forEach(Goal::addUp);
    }

    int[][] definitions() {
        return definitions.toArray(int[][]::new);
    }

    private int define(int left, int right) {
        definitions.add(new int[] {left, right});
        long[] value = new long[words()];
        addTo(value, left);
        addTo(value, right);
        values.add(value);
        return constants + definitions.size() - 1;
    }

    private void addTo(long[] set, int term) {
        if (term < constants) {
            set[term >> 6] ^= 1L << term;
        } else {
            xor(set, values.get(term - constants));
        }
    }

    private void removeAchieved(int value) {
        for (Iterator<Goal> goals = remaining.iterator(); goals.hasNext(); ) {
            Goal goal = goals.next();
            if (Arrays.equals(goal.wanted, values.get(value - constants))) {
                goal.achieve(value);
                goals.remove();
                return; // goals differ
            }
        }
    }

    /** Finds the pair to replace. Returns false if time runs out first. */
    private boolean findPair() {
        int terms = constants + definitions.size();
        if (occurrences.length < terms * (terms - 1) / 2) {
            occurrences = new short[2 * terms * (terms - 1) / 2];
        }
        int most = 0;
        bestLeft = -1;
        for (Goal goal : remaining) {
            if (deadline.passed()) {
                return false;
            }
            most = count(goal, most);
        }
        remaining.forEach(this::forget);
        return true;
    }

    private int count(Goal goal, int mostBefore) {
        int[] terms = goal.terms;
        int most = mostBefore;
        for (int b = 1; b < goal.size; b++) {
            int right = terms[b];
            int row = right * (right - 1) / 2;
            for (int a = 0; a < b; a++) {
                int left = terms[a];
                int count = ++occurrences[row + left];
                if (count > most || (count == most && (left > bestLeft || (left == bestLeft && right > bestRight)))) {
                    most = count;
                    bestLeft = left;
                    bestRight = right;
                }
            }
        }
        return most;
    }

    private void forget(Goal goal) {
        for (int b = 1; b < goal.size; b++) {
            int row = goal.terms[b] * (goal.terms[b] - 1) / 2;
            for (int a = 0; a < b; a++) {
                occurrences[row + goal.terms[a]] = 0;
            }
        }
    }

    private int words() {
        return (constants + Long.SIZE - 1) / Long.SIZE;
    }

    private static void xor(long[] target, long[] source) {
        for (int i = 0; i < target.length; i++) {
            target[i] ^= source[i];
        }
    }

    private static int distance(long[] a, long[] b) {
        int bits = 0;
        for (int i = 0; i < a.length; i++) {
            bits += Long.bitCount(a[i] ^ b[i]);
        }
        return bits;
    }

    private static int size(long[] set) {
        int bits = 0;
        for (long word : set) {
            bits += Long.bitCount(word);
        }
        return bits;
    }

    /**
     * A goal: its representation, and its greedy expression by the values defined so far.
     *
     * <p>The greedy expression starts with the goal as the rest. While that makes the rest smaller, it adds the value nearest to
     * the rest, the newest among equally near ones. The steps are kept: a new value changes nothing before the first rest to
     * which it is nearer than the value taken there.
     */
    final class Goal {
        private final long[] wanted;
        /** The representation, ascending, in the first {@link #size} elements. */
        private int[] terms;

        private int size;
        private int result;

        /** The rest before each step, and the last one. */
        private final List<long[]> rests = new ArrayList<>();
        /** The value taken in each step. */
        private final List<Integer> taken = new ArrayList<>();

        private Goal(BitSet goal) {
            wanted = Arrays.copyOf(goal.toLongArray(), words());
            terms = goal.stream().toArray();
            size = terms.length;
            rests.add(wanted);
        }

        /** The value of this goal, once the search is over. */
        int result() {
            return result;
        }

        private void achieve(int value) {
            result = value;
        }

        private void replace(int left, int right, int value) {
            int a = Arrays.binarySearch(terms, 0, size, left);
            int b = Arrays.binarySearch(terms, 0, size, right);
            if (a >= 0 && b >= 0) {
                System.arraycopy(terms, a + 1, terms, a, b - a - 1);
                System.arraycopy(terms, b + 1, terms, b - 1, size - b - 1);
                size--;
                terms[size - 1] = value;
            }
        }

        /** Tries the newest value. A representation changes only to one with fewer terms. */
        private void rebuild() {
            int newest = values.size() - 1;
            for (int step = 0; step < rests.size(); step++) {
                long[] rest = rests.get(step);
                boolean last = step == taken.size();
                int bound = last ? size(rest) - 1 : size(rests.get(step + 1));
                if (distance(values.get(newest), rest) <= bound) {
                    rests.subList(step + 1, rests.size()).clear();
                    taken.subList(step, taken.size()).clear();
                    take(newest);
                    express();
                    return;
                }
            }
        }

        private void take(int definition) {
            long[] rest = rests.get(rests.size() - 1).clone();
            xor(rest, values.get(definition));
            rests.add(rest);
            taken.add(definition);
        }

        private void express() {
            long[] rest = rests.get(rests.size() - 1);
            for (int nearest = nearest(rest); nearest >= 0; nearest = nearest(rest)) {
                take(nearest);
                rest = rests.get(rests.size() - 1);
            }
            BitSet expression = BitSet.valueOf(rest);
            taken.forEach(definition -> expression.flip(constants + definition));
            if (expression.cardinality() < size) {
                terms = expression.stream().toArray();
                size = terms.length;
            }
        }

        private int nearest(long[] rest) {
            int nearest = -1;
            int least = size(rest);
            for (int definition = values.size() - 1; definition >= 0; definition--) {
                int distance = distance(values.get(definition), rest);
                if (distance < least) {
                    least = distance;
                    nearest = definition;
                }
            }
            return nearest;
        }

        /** Adds the terms of the representation one by one, when time is over. */
        private void addUp() {
            int sum = terms[0];
            for (int i = 1; i < size; i++) {
                sum = define(sum, terms[i]);
            }
            result = sum;
        }
    }
}
