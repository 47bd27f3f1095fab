/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;

/** {@link Gemm}'s product on one tile of each strip. */
final class GemmBlocks implements Blocks {
    /** Rows that are computed together, and the kernels for them: each goes on where the one before it ended. */
    private record RowBlock(int first, int[] masks, List<MaskProduct> products) {}

    private final int inputs;
    private final int outputs;
    private final Gemm.Packing packing;
    private final List<RowBlock> rowBlocks = new ArrayList<>();

    /** @param products the kernels for so many rows, the last one without a remainder */
    GemmBlocks(int inputs, List<BitSet> rows, Gemm form, IntFunction<List<MaskProduct>> products) {
        this.inputs = inputs;
        this.outputs = rows.size();
        this.packing = form.packing();
        int size = form.rows();
        for (int first = 0; first < outputs; first += size) {
            while (size > outputs - first) {
                size /= 2;
            }
            rowBlocks.add(new RowBlock(first, masks(inputs, rows.subList(first, first + size)), products.apply(size)));
        }
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

    /** How many blocks of scratch memory are needed. */
    int scratch() {
        return packing == Gemm.Packing.ON ? inputs : 0;
    }

    @Override
    public void run(byte[][] arrays, int[] offsets, int length) {
        int first = 0;
        if (packing == Gemm.Packing.ON) {
            first = inputs + outputs;
            for (int input = 0; input < inputs; input++) {
                System.arraycopy(arrays[input], offsets[input], arrays[first + input], offsets[first + input], length);
            }
        }
        for (RowBlock block : rowBlocks) {
            int from = 0;
            for (MaskProduct product : block.products) {
                from = product.apply(
                        block.masks, 0, arrays, offsets, first, inputs, inputs + block.first, from, length);
            }
        }
    }
}
