/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

/**
 * What is lost of a stripe, and what of it is wanted back: the key of a repair plan. Both count units, or strips.
 */
record LossPattern(Erasures missing, Erasures wanted) {

    /** Checks that something is wanted. */
    LossPattern {
        if (wanted.size() == 0) {
            throw new IllegalArgumentException("a repair must reconstruct at least one unit, got none");
        }
    }

    /** Written out: those of a record are made when they are first called, which takes a JVM 20 ms. */
    @Override
    public boolean equals(Object other) {
        return other instanceof LossPattern that && missing.equals(that.missing) && wanted.equals(that.wanted);
    }

    @Override
    public int hashCode() {
        return 31 * missing.hashCode() + wanted.hashCode();
    }
}
