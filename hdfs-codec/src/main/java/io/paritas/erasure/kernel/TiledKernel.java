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
            for (int output = 0; output < program.outputs(); output++) {
                int done = bulk(output, in, out.arrays[output], out.offsets[output], size);
                tail(output, in, out.arrays[output], out.offsets[output], done, size);
            }
            out.store();
        }
    }

    /**
     * Computes one output over as much of the tile as comes in whole pieces.
     *
     * @return how many bytes, from the tile's start, are done
     */
    abstract int bulk(int output, Window in, byte[] target, int at, int size);

    /** The last few bytes of a tile, one by one. */
    private void tail(int output, Window in, byte[] target, int at, int from, int size) {
        for (int x = from; x < size; x++) {
            int place = x;
            target[at + x] =
                    (byte) program.interpret(output, input -> in.arrays[input][in.offsets[input] + place] & 0xff);
        }
    }
}
