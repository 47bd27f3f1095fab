/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

/**
 * What a task does for others once its own rows are answered: {@link Work} for a segment, to {@link Wait}, or to {@link End}. It crosses as
 * two numbers.
 */
public sealed interface Help extends Reply permits Help.Work, Help.Wait, Help.End {

    /** Something to predict, of the task's own segment or of another one. */
    sealed interface Work extends Help permits Data, Parity {

        /** Whose data or parity it is. */
        int segment();

        /** How many parities the segment has then; 0 for its data. */
        int parities();
    }

    /** The data of a segment that nobody has started, without which its stripe cannot be decoded. */
    record Data(int segment) implements Work {

        @Override
        public int parities() {
            return 0;
        }

        @Override
        public long[] encode() {
            return new long[] {Numbers.DATA, segment};
        }
    }

    /**
     * A parity of a segment.
     *
     * @param number of the parity, counted from 0
     */
    record Parity(int segment, int number) implements Work {

        @Override
        public int parities() {
            return 1 + number;
        }

        @Override
        public long[] encode() {
            return new long[] {number, segment};
        }
    }

    /** Not yet: others are out that may come late, and nobody wants the slot. Ask again. */
    record Wait() implements Help {

        @Override
        public long[] encode() {
            return new long[] {Numbers.WAIT, Numbers.NO_SEGMENT};
        }
    }

    /** Nothing is left to do for others. */
    enum End implements Help {
        /** No parity is needed. */
        NONE(Numbers.NONE),
        /** The execution is over: blocks would be kept for nobody. */
        OVER(Numbers.OVER);

        private final long number;

        End(long number) {
            this.number = number;
        }

        @Override
        public long[] encode() {
            return new long[] {number, Numbers.NO_SEGMENT};
        }
    }

    /** A parity of a segment, or its data if the number is negative. */
    static Work of(int segment, int number) {
        return number < 0 ? new Data(segment) : new Parity(segment, number);
    }

    /** Reads what {@link #encode} wrote. */
    static Help decode(long... numbers) {
        int number = Math.toIntExact(numbers[0]);
        int segment = Math.toIntExact(numbers[1]);
        if (segment != Numbers.NO_SEGMENT) {
            return of(segment, number);
        }
        return switch (number) {
            case Numbers.NONE -> End.NONE;
            case Numbers.OVER -> End.OVER;
            case Numbers.WAIT -> new Wait();
            default -> throw new IllegalArgumentException("no help has the number " + number);
        };
    }

    /** The numbers that cross. */
    final class Numbers {
        private static final int NO_SEGMENT = -1;
        private static final int DATA = -1;
        private static final int NONE = -1;
        private static final int OVER = -2;
        private static final int WAIT = -3;

        private Numbers() {}
    }
}
