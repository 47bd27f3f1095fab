/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/**
 * The common part of CPU kernels. It cuts regions into tiles, which stay in the first-level cache while all outputs pass over
 * them, and tiles into steps. The last bytes, fewer than a step, are padded with zeros and take the same code.
 */
abstract class TiledKernel implements Kernel {
    /** Bytes of each unit per tile: whole steps. */
    final int tile;

    /** Bytes of each unit computed at once. */
    final int step;

    /**
     * Creates a kernel.
     *
     * @param tile bytes of each unit in a tile, rounded down to whole steps
     * @param step bytes of each unit computed at once
     */
    TiledKernel(int tile, int step) {
        this.tile = Math.max(1, tile / step) * step;
        this.step = step;
    }

    @Override
    public final void apply(Regions inputs, Regions outputs) {
        Window in = new Window(inputs, tile);
        Window out = new Window(outputs, tile);
        Pass pass = begin();
        int length = inputs.length();
        int size;
        for (int start = 0; start < length; start += size) {
            size = Math.min(tile, length - start);
            in.moveTo(start, size);
            out.moveTo(start, size);
            in.load();
            int whole = size / step * step;
            if (whole > 0) {
                pass.apply(in.arrays, in.offsets, out.arrays, out.offsets, whole);
            }
            if (whole < size) {
                padded(pass, in, out, whole, size);
            }
            out.store();
        }
        pass.end();
    }

    /** Starts a pass over some regions. */
    abstract Pass begin();

    /** One run over all tiles. */
    interface Pass {
        /**
         * Computes all outputs over a tile.
         *
         * @param inputs the array of each input, from whose offset the tile lies; likewise the outputs
         * @param size the bytes of the tile: whole steps
         */
        void apply(Object[] inputs, int[] offsets, Object[] outputs, int[] outputOffsets, int size);

        /** Called after the last tile. */
        default void end() {}
    }

    private void padded(Pass pass, Window in, Window out, int from, int size) {
        byte[][] inputs = new byte[in.arrays.length][step];
        byte[][] outputs = new byte[out.arrays.length][step];
        for (int i = 0; i < inputs.length; i++) {
            System.arraycopy(in.arrays[i], in.offsets[i] + from, inputs[i], 0, size - from);
        }
        pass.apply(inputs, new int[inputs.length], outputs, new int[outputs.length], step);
        for (int i = 0; i < outputs.length; i++) {
            System.arraycopy(outputs[i], 0, out.arrays[i], out.offsets[i] + from, size - from);
        }
    }
}
