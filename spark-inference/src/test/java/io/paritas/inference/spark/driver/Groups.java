/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

/** What can be decoded, counted group by group: slot s of a group with rotation t is at place (s + t) mod n. */
final class Groups {
    private Groups() {}

    /**
     * Whether every group can be decoded.
     *
     * @param levels of the segments: 0 without predictions, 1 + j with those of the data and of the first j parities
     * @param parities that are used: the first ones
     */
    static boolean decodable(int k, int r, int[] levels, int parities) {
        int n = k + r;
        for (int rotation = 0; rotation < n; rotation++) {
            int missing = 0;
            for (int slot = 0; slot < k; slot++) {
                missing += levels[(slot + rotation) % n] == 0 ? 1 : 0;
            }
            int there = 0;
            for (int parity = 0; parity < Math.min(parities, r); parity++) {
                there += levels[(k + parity + rotation) % n] >= 2 + parity ? 1 : 0;
            }
            if (there < missing) {
                return false;
            }
        }
        return true;
    }
}
