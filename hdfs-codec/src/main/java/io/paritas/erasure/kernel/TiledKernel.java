/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** What the CPU kernels share: tiles that stay in the first-level cache while every output passes over them. */
abstract class TiledKernel implements Kernel {
    private static final int CACHE = 32 * 1024;
    private static final int SMALLEST_TILE = 512;

    final Program program;

    /** Bytes of each unit per tile: as many as fit the cache with all units, in whole vectors. */
    private final int tile;

    TiledKernel(Program program) {
        this.program = program;
        int share = CACHE / (program.inputs() + program.outputs());
        this.tile = Math.max(SMALLEST_TILE, share / SMALLEST_TILE * SMALLEST_TILE);
    }

    @Override
    public final void apply(Regions inputs, Regions outputs) {
        Window in = new Window(inputs, tile);
        Window out = new Window(outputs, tile);
        int length = inputs.length();
        for (int start = 0; start < length; start += tile) {
            int size = Math.min(tile, length - start);
            in.moveTo(start, size);
            out.moveTo(start, size);
            in.load();
            tail(in, out, bulk(in, out, size), size);
            out.store();
        }
    }

    /**
     * Computes all outputs over as much of the tile as comes in whole pieces.
     *
     * @return how many bytes, from the tile's start, are done
     */
    abstract int bulk(Window in, Window out, int size);

    /** The last few bytes of a tile, one by one. */
    private void tail(Window in, Window out, int from, int size) {
        for (int x = from; x < size; x++) {
            int place = x;
            for (int output = 0; output < program.outputs(); output++) {
                out.arrays[output][out.offsets[output] + x] =
                        (byte) program.interpret(output, input -> in.arrays[input][in.offsets[input] + place] & 0xff);
            }
        }
    }
}
