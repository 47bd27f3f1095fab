/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

/**
 * The parity that a task computes next, of its own segment or of another one; or the data of a segment that nobody has started,
 * without which its stripe cannot be decoded. It crosses as two numbers.
 *
 * @param number of the parity, counted from 0; negative for data, and for {@link #NONE}, {@link #OVER} and {@link #WAIT}
 * @param segment whose parity it is; -1 if there is none
 */
public record NextParity(int number, int segment) implements Reply {

    /** No parity is needed. */
    public static final NextParity NONE = new NextParity(-1, -1);

    /** The execution is over: blocks would be kept for nobody. */
    public static final NextParity OVER = new NextParity(-2, -1);

    /** Not yet: others are out that may come late, and nobody wants the slot. Ask again. */
    public static final NextParity WAIT = new NextParity(-3, -1);

    /** Whether there is a parity, or data, to compute. */
    public boolean isNeeded() {
        return segment >= 0;
    }

    /** Whether it is the data of the segment. */
    public boolean isData() {
        return isNeeded() && number < 0;
    }

    @Override
    public long[] encode() {
        return new long[] {number, segment};
    }

    static NextParity decode(long... numbers) {
        return new NextParity((int) numbers[0], (int) numbers[1]);
    }
}
