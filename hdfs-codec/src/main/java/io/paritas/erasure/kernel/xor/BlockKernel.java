/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs a program block by block: the whole program on the first block of each strip, then on the second. So a statement's
 * result is still cached when the next ones read it.
 */
final class BlockKernel implements StripKernel {
    private final int inputs;
    private final int outputs;
    private final int scratch;
    private final BlockRunner blocks;
    private final int blockSize;
    private final StripFolds folds;
    /** The scratch memory of the last run, for the next one. */
    private final AtomicReference<byte[]> spare = new AtomicReference<>();

    /**
     * @param scratch number of blocks of memory beside those of the strips
     * @param folds check the strips as rows
     */
    BlockKernel(int inputs, int outputs, int scratch, BlockRunner blocks, int blockSize, StripFolds folds) {
        this.inputs = inputs;
        this.outputs = outputs;
        this.scratch = scratch;
        this.blocks = blocks;
        this.blockSize = blockSize;
        this.folds = folds;
    }

    @Override
    public void apply(Strips from, Strips to) {
        int length = from.length();
        int size = Math.min(blockSize, length);
        byte[] memory = takeScratch(size * (scratch + copied(from) + copied(to)));
        byte[][] arrays = new byte[inputs + outputs + scratch][];
        int[] offsets = new int[arrays.length];
        StripFolds.Sums sums = folds.begin();
        int used = 0;
        for (int i = inputs + outputs; i < arrays.length; i++) {
            arrays[i] = memory;
            offsets[i] = used;
            used += size;
        }
        used = place(from, 0, arrays, offsets, memory, used, size);
        place(to, inputs, arrays, offsets, memory, used, size);
        int now;
        for (int start = 0; start < length; start += now) {
            now = Math.min(size, length - start); // the last one may end at 2^31 - 1
            load(from, start, arrays, offsets, now);
            sums.addInputs(arrays, offsets, now);
            blocks.run(arrays, offsets, now);
            sums.addOutputs(arrays, offsets, now);
            store(to, start, arrays, offsets, now);
            advance(from, 0, offsets, now);
            advance(to, inputs, offsets, now);
        }
        spare.set(memory);
        sums.check(from, to);
    }

    private byte[] takeScratch(int size) {
        byte[] last = spare.getAndSet(null);
        return last != null && last.length >= size ? last : new byte[size];
    }

    /** The number of strips that are not in arrays, so that their blocks are copied. */
    private static int copied(Strips strips) {
        int copied = 0;
        for (int strip = 0; strip < strips.count(); strip++) {
            copied += strips.array(strip) == null ? 1 : 0;
        }
        return copied;
    }

    /** Shows strips in place, or in memory from an offset on. Returns the next free offset. */
    private static int place(
            Strips strips, int first, byte[][] arrays, int[] offsets, byte[] memory, int from, int size) {
        int used = from;
        for (int strip = 0; strip < strips.count(); strip++) {
            boolean inPlace = strips.array(strip) != null;
            arrays[first + strip] = inPlace ? strips.array(strip) : memory;
            offsets[first + strip] = inPlace ? strips.offset(strip) : used;
            used += inPlace ? 0 : size;
        }
        return used;
    }

    private static void advance(Strips strips, int first, int[] offsets, int size) {
        for (int strip = 0; strip < strips.count(); strip++) {
            offsets[first + strip] += strips.array(strip) == null ? 0 : size;
        }
    }

    private static void load(Strips strips, int from, byte[][] arrays, int[] offsets, int size) {
        for (int strip = 0; strip < strips.count(); strip++) {
            if (strips.array(strip) == null) {
                strips.read(strip, from, arrays[strip], offsets[strip], size);
            }
        }
    }

    private void store(Strips strips, int from, byte[][] arrays, int[] offsets, int size) {
        for (int strip = 0; strip < strips.count(); strip++) {
            if (strips.array(strip) == null) {
                int block = inputs + strip;
                strips.write(strip, from, arrays[block], offsets[block], size);
            }
        }
    }
}
