/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import io.paritas.erasure.kernel.KernelChoice;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;

/** Makes {@link StripKernel}s: with the Vector API where this JVM's kernels use it, else in plain Java. */
public final class StripKernels {
    /** Bytes of a block: large enough that starting a statement costs little, small enough for the caches. */
    public static final int BLOCK = 2048;

    private StripKernels() {}

    /** What the inner loops are made of. */
    enum Tier {
        PLAIN,
        VECTOR;

        /** The tier of this JVM's other kernels. */
        static Tier current() {
            return KernelChoice.current().provider().name().equals("vector") ? VECTOR : PLAIN;
        }
    }

    /** The program form: runs a schedule, statement by statement, on blocks of {@value #BLOCK} bytes. */
    public static StripKernel program(Schedule schedule) {
        return program(schedule, BLOCK);
    }

    /**
     * The program form: runs a schedule, statement by statement, on blocks of so many bytes.
     *
     * @throws IllegalArgumentException if a block is empty
     */
    public static StripKernel program(Schedule schedule, int blockSize) {
        return program(schedule, blockSize, Tier.current());
    }

    static StripKernel program(Schedule schedule, int blockSize, Tier tier) {
        if (blockSize < 1) {
            throw new IllegalArgumentException("A block has at least 1 byte; got " + blockSize);
        }
        BlockProgram program = BlockProgram.of(schedule);
        Blocks blocks = tier == Tier.VECTOR ? new VectorBlocks(program) : new PlainBlocks(program);
        return new BlockKernel(program.inputs(), program.outputs(), program.scratch(), blocks, blockSize);
    }

    /**
     * The program form for units whose strips are interleaved: a unit is a sequence of groups of w packets of {@value
     * PacketLayout#PACKET} bytes, and packet b of each group belongs to strip b. Unit lengths are multiples of a group's.
     *
     * <p>All packets of a group are close together, so with the Vector API the whole program becomes one loop of
     * straight-line code, whose values stay in registers.
     */
    public static StripKernel packets(int w, Schedule schedule) {
        return packets(w, schedule, Tier.current());
    }

    static StripKernel packets(int w, Schedule schedule, Tier tier) {
        BlockProgram program = BlockProgram.of(schedule);
        PacketLayout layout = new PacketLayout(w, program.inputs() / w, program.outputs() / w, program.scratch());
        if (tier == Tier.PLAIN) {
            return new PacketKernel(layout, new PacketBlocks(layout, new PlainBlocks(program)));
        }
        PacketRunner statements = new PacketBlocks(layout, new VectorBlocks(program));
        PacketRunner generated = new PacketChunks(layout, program);
        return new PacketKernel(layout, new WarmingPackets(layout, statements, generated));
    }

    /**
     * The matrix form: see {@link Gemm}.
     *
     * @param rows for each output the inputs whose xor it is
     */
    public static StripKernel gemm(int inputs, List<BitSet> rows, Gemm form) {
        return gemm(inputs, rows, form, Tier.current());
    }

    static StripKernel gemm(int inputs, List<BitSet> rows, Gemm form, Tier tier) {
        IntFunction<List<MaskProduct>> products = tier == Tier.VECTOR
                ? size -> VectorProducts.of(size, form.vectors())
                : size -> List.of(new PlainProduct(size));
        GemmBlocks blocks = new GemmBlocks(inputs, rows, form, products);
        return new BlockKernel(inputs, rows.size(), blocks.scratch(), blocks, form.tile());
    }
}
