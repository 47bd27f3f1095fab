/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

/**
 * The parity that a segment computes next. It crosses as one number.
 *
 * @param number of the parity, counted from 0; negative for {@link #NONE} and {@link #OVER}
 */
public record NextParity(int number) implements Reply {

    /** No parity is needed. */
    public static final NextParity NONE = new NextParity(-1);

    /** The execution is over: blocks would be kept for nobody. */
    public static final NextParity OVER = new NextParity(-2);

    /** Whether there is a parity to compute. */
    public boolean isNeeded() {
        return number >= 0;
    }

    @Override
    public long[] encode() {
        return new long[] {number};
    }

    static NextParity decode(long... numbers) {
        return new NextParity((int) numbers[0]);
    }
}
