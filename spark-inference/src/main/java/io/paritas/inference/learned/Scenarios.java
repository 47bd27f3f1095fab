/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import java.util.ArrayList;
import java.util.List;

/** The loss scenarios of a group: all ways to lose 1 to r of k predictions. */
final class Scenarios {

    private Scenarios() {}

    /** The lost predictions of each scenario, in ascending order. */
    static List<int[]> of(int k, int r) {
        List<int[]> scenarios = new ArrayList<>();
        for (int lost = 1; lost < 1 << k; lost++) {
            if (Integer.bitCount(lost) <= r) {
                scenarios.add(members(lost));
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
