/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

/**
 * A number of stripes, and the first of them.
 *
 * @param count number of stripes
 * @param first number of the first one, or −1
 */
record Tally(long count, long first) {
    static final Tally NONE = new Tally(0, -1);

    /** Adds a later stripe. */
    Tally and(long stripe) {
        return new Tally(count + 1, count == 0 ? stripe : first);
    }

    boolean isEmpty() {
        return count == 0;
    }
}
