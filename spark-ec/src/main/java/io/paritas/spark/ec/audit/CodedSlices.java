/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.audit;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Picks slices of what this JVM codes, at random: of the first stripe, and of a share of the others. Thread-safe. */
public final class CodedSlices {
    private static final int MOST_BYTES = 1024;

    private static volatile CodedSlices current = new CodedSlices(0, 0, slice -> {});

    private final double share;
    private final Consumer<CodedSlice> taker;
    private final SplittableRandom random;
    private boolean first = true;

    /**
     * Slices of a share of the stripes.
     *
     * @param share from 0 (none, not even of the first) to 1
     * @param seed of the choice
     * @param taker gets them, in the thread that codes
     */
    public CodedSlices(double share, long seed, Consumer<CodedSlice> taker) {
        this.share = share;
        this.taker = taker;
        this.random = new SplittableRandom(seed);
    }

    /** What picks slices in this JVM; at first nothing is picked. */
    public static CodedSlices current() {
        return current;
    }

    /** Has slices of this JVM's stripes picked. */
    public void install() {
        current = this;
    }

    /** Has no more slices picked. */
    public static void uninstall() {
        current = new CodedSlices(0, 0, slice -> {});
    }

    /**
     * Looks at units that were made, and copies a slice if they are picked.
     *
     * @param code name of the code
     * @param length bytes of the units that were made
     * @param sources the units that were read
     * @param made the units that were made
     * @param unit the bytes of one of them, from its position to its limit; zeros follow if there are fewer than {@code length}
     */
    public void offer(String code, int length, int[] sources, int[] made, IntFunction<ByteBuffer> unit) {
        if (share <= 0 || length == 0) {
            return;
        }
        int from = picked(length);
        if (from >= 0) {
            int size = Math.min(MOST_BYTES, length - from);
            taker.accept(new CodedSlice(
                    code, list(sources), list(made), parts(sources, unit, from, size), parts(made, unit, from, size)));
        }
    }

    /** Offers all parity units of a stripe. */
    public void encoded(String code, byte[][] data, byte[][] parity) {
        int[] sources = IntStream.range(0, data.length).toArray();
        int[] made = IntStream.range(data.length, data.length + parity.length).toArray();
        int length = parity.length == 0 ? 0 : parity[0].length;
        offer(
                code,
                length,
                sources,
                made,
                unit -> ByteBuffer.wrap(unit < data.length ? data[unit] : parity[unit - data.length]));
    }

    /** Where the slice begins; -1 for none. */
    private synchronized int picked(int length) {
        boolean picked = first || random.nextDouble() < share;
        first = false;
        return picked ? random.nextInt(Math.max(1, length - MOST_BYTES + 1)) : -1;
    }

    private static List<Integer> list(int... numbers) {
        return Arrays.stream(numbers).boxed().toList();
    }

    private static byte[][] parts(int[] units, IntFunction<ByteBuffer> unit, int from, int size) {
        return Arrays.stream(units)
                .mapToObj(number -> part(unit.apply(number), from, size))
                .toArray(byte[][]::new);
    }

    private static byte[] part(ByteBuffer bytes, int from, int size) {
        byte[] part = new byte[size];
        int count = Math.min(size, bytes.remaining() - from);
        if (count > 0) {
            bytes.get(bytes.position() + from, part, 0, count);
        }
        return part;
    }
}
