/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

/**
 * Some stripes: how many, and the first.
 *
 * @param count how many
 * @param first the first, or −1
 */
record Tally(long count, long first) {
    static final Tally NONE = new Tally(0, -1);

    /** These stripes and a later one. */
    Tally and(long stripe) {
        return new Tally(count + 1, count == 0 ? stripe : first);
    }

    boolean isEmpty() {
        return count == 0;
    }
}
