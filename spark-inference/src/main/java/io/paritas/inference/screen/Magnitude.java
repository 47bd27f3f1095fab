/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

/**
 * How large values are.
 *
 * @param largest the largest absolute value of those that are finite
 * @param values how many of these are not zero
 */
record Magnitude(double largest, long values) {
    static final Magnitude NONE = new Magnitude(0, 0);

    /** A few values may all be near zero by chance. */
    private static final int ENOUGH = 8;

    static Magnitude of(float... values) {
        double largest = 0;
        long count = 0;
        for (float value : values) {
            if (Float.isFinite(value) && value != 0) {
                largest = Math.max(largest, Math.abs(value));
                count++;
            }
        }
        return new Magnitude(largest, count);
    }

    /** That of these values and of others. */
    Magnitude plus(Magnitude others) {
        return new Magnitude(Math.max(largest, others.largest), values + others.values);
    }

    /** Whether there are enough values to tell how large those of the same model usually are. */
    boolean isKnown() {
        return values >= ENOUGH;
    }
}
