/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import java.util.ArrayList;
import java.util.List;

/** The loss scenarios of a group: all ways to lose 1 to r of k predictions, and to have enough answers to parity queries. */
final class Scenarios {

    private Scenarios() {}

    /**
     * What is there when a group is decoded.
     *
     * @param lost the lost predictions, in ascending order
     * @param answers the answers that are there, in ascending order, at least as many
     */
    record Scenario(int[] lost, int[] answers) {}

    /** How many there are. */
    static long count(int k, int r) {
        long count = 0;
        for (int lost = 1; lost <= r; lost++) {
            for (int answers = lost; answers <= r; answers++) {
                count += choose(k, lost) * choose(r, answers);
            }
        }
        return count;
    }

    private static long choose(int of, int members) {
        long sets = 1;
        for (int i = 0; i < members; i++) {
            sets = sets * (of - i) / (i + 1);
        }
        return sets;
    }

    /** All scenarios. With r = 1 only the prediction differs. */
    static List<Scenario> of(int k, int r) {
        List<Scenario> scenarios = new ArrayList<>();
        for (int lost = 1; lost < 1 << k; lost++) {
            for (int answers = 1; answers < 1 << r; answers++) {
                if (Integer.bitCount(lost) <= Integer.bitCount(answers)) {
                    scenarios.add(new Scenario(members(lost), members(answers)));
                }
            }
        }
        return scenarios;
    }

    private static int[] members(int set) {
        int[] members = new int[Integer.bitCount(set)];
        int rest = set;
        for (int i = 0; i < members.length; i++) {
            members[i] = Integer.numberOfTrailingZeros(rest);
            rest &= rest - 1;
        }
        return members;
    }
}
