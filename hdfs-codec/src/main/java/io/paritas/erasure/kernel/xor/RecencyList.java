/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.Arrays;

/** Blocks in the order of their last use. */
final class RecencyList {
    static final int NEVER = Integer.MAX_VALUE;

    /** The blocks, the most recently used first. */
    private final int[] order;
    /** Where each block is in the order. */
    private final int[] ages;

    private int size;

    RecencyList(int blocks) {
        order = new int[blocks];
        ages = new int[blocks];
        Arrays.fill(ages, NEVER);
    }

    void touch(int block) {
        int from = ages[block] == NEVER ? size++ : ages[block];
        for (int age = from; age > 0; age--) {
            order[age] = order[age - 1];
            ages[order[age]] = age;
        }
        order[0] = block;
        ages[block] = 0;
    }

    boolean contains(int block) {
        return ages[block] != NEVER;
    }

    /** The number of other blocks used since, or {@link #NEVER}. */
    int age(int block) {
        return ages[block];
    }

    /** The block of this age. */
    int block(int age) {
        return order[age];
    }
}
