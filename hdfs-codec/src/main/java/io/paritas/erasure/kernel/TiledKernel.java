/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** What the CPU kernels share: tiles that stay in the first-level cache while every output passes over them. */
abstract class TiledKernel implements Kernel {
    /** Bytes of each unit per tile: 14 units of 2 KiB fit a first-level cache of 32 KiB. */
    static final int TILE = 2048;

    final Program program;

    TiledKernel(Program program) {
        this.program = program;
    }

    @Override
    public final void apply(Regions inputs, Regions outputs) {
        Window in = new Window(inputs, TILE);
        Window out = new Window(outputs, TILE);
        int length = inputs.length();
        for (int start = 0; start < length; start += TILE) {
            int size = Math.min(TILE, length - start);
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
