/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;

/** Runs the matrix form ({@link GemmTiling}) on one tile of each strip. */
final class GemmBlockRunner implements BlockRunner {
    /** Rows computed together, and their kernels: each continues where the one before it ended. */
    private record RowBlock(MaskProduct.Operands operands, List<MaskProduct> products) {}

    private final int inputs;
    private final int outputs;
    private final GemmTiling.Packing packing;
    private final List<RowBlock> rowBlocks = new ArrayList<>();

    /** @param products returns the kernels for a number of rows; the last one leaves no remainder */
    GemmBlockRunner(int inputs, List<BitSet> rows, GemmTiling form, IntFunction<List<MaskProduct>> products) {
        this.inputs = inputs;
        this.outputs = rows.size();
        this.packing = form.packing();
        int size = form.rows();
        for (int first = 0; first < outputs; first += size) {
            while (size > outputs - first) {
                size /= 2;
            }
            int[] masks = masks(inputs, rows.subList(first, first + size));
            rowBlocks.add(new RowBlock(
                    new MaskProduct.Operands(masks, firstRead(), inputs, inputs + first), products.apply(size)));
        }
    }

    /** The first block that the products read: the first packed tile, or the first input. */
    private int firstRead() {
        return packing == GemmTiling.Packing.ON ? inputs + outputs : 0;
    }

    private static int[] masks(int inputs, List<BitSet> rows) {
        int[] masks = new int[inputs * rows.size()];
        for (int input = 0; input < inputs; input++) {
            for (int row = 0; row < rows.size(); row++) {
                masks[input * rows.size() + row] = rows.get(row).get(input) ? -1 : 0;
            }
        }
        return masks;
    }

    /** The number of blocks of scratch memory. */
    int scratch() {
        return packing == GemmTiling.Packing.ON ? inputs : 0;
    }

    @Override
    public void run(byte[][] arrays, int[] offsets, int length) {
        if (packing == GemmTiling.Packing.ON) {
            int first = firstRead();
            for (int input = 0; input < inputs; input++) {
                System.arraycopy(arrays[input], offsets[input], arrays[first + input], offsets[first + input], length);
            }
        }
        for (RowBlock block : rowBlocks) {
            int from = 0;
            for (MaskProduct product : block.products) {
                from = product.apply(block.operands, arrays, offsets, from, length);
            }
        }
    }
}
