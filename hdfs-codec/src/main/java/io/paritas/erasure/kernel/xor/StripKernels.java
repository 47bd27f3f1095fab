/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import io.paritas.erasure.kernel.Check;
import io.paritas.erasure.kernel.KernelChoice;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;

/** Makes {@link StripKernel}s: with the Vector API where this JVM has it, else in plain Java. */
public final class StripKernels {
    /** Bytes of a block: large enough that starting a statement is cheap, small enough for the caches. */
    static final int BLOCK = 2048;

    /** Bytes that a strip is folded to: few, but enough for an addition to outweigh its start. */
    private static final int PIECE = 128;

    private StripKernels() {}

    /** The implementation of the inner loops. */
    enum Tier {
        PLAIN(Word.LONG),
        VECTOR(Word.VECTOR);

        private final Word word;

        Tier(Word word) {
            this.word = word;
        }

        /** Returns a runner of a program, statement by statement. */
        BlockRunner statements(BlockProgram program) {
            return new StatementBlockRunner(program, word);
        }

        /** Returns the check of a program on blocks of strips. */
        StripFolds folds(BlockProgram program) {
            int[] scratch = new int[program.scratch()];
            Arrays.fill(scratch, PIECE);
            return new StripFolds(
                    Check.current(),
                    program.inputs(),
                    program.outputs(),
                    PIECE,
                    StatementBlockRunner.method(word),
                    statements(program),
                    scratch);
        }

        /** Returns the check of a program on interleaved strips. */
        StripFolds folds(BlockProgram program, PacketLayout layout) {
            PacketRunner expected = new StatementPacketRunner(layout, statements(program));
            return new StripFolds(
                    Check.current(),
                    layout.inputs(),
                    layout.outputs(),
                    layout.groupBytes(),
                    StatementBlockRunner.method(word),
                    (arrays, offsets, size) -> expected.run(arrays, offsets, 1),
                    new int[] {layout.scratchBytes()});
        }

        /** Vectors where this JVM has them, whichever kernel codes run on, unless that is plain Java by choice. */
        static Tier current() {
            boolean plain = KernelChoice.current().provider().name().equals("plain");
            return plain || KernelChoice.vectorsUnavailable().isPresent() ? PLAIN : VECTOR;
        }
    }

    /** Whether kernels are made with the Vector API. */
    static boolean hasVectors() {
        return Tier.current() == Tier.VECTOR;
    }

    /**
     * The program form: runs a program statement by statement on blocks of any size.
     *
     * @throws IllegalArgumentException if a block is empty
     */
    public static StripKernel program(ScheduledProgram schedule, int blockSize) {
        return program(schedule, blockSize, Tier.current());
    }

    static StripKernel program(ScheduledProgram schedule, int blockSize, Tier tier) {
        checkBlock(blockSize);
        BlockProgram program = BlockProgram.of(schedule);
        return new BlockKernel(
                program.inputs(),
                program.outputs(),
                program.scratch(),
                tier.statements(program),
                blockSize,
                tier.folds(program));
    }

    static void checkBlock(int size) {
        if (size < 1) {
            throw new IllegalArgumentException("a block must have at least 1 byte, got " + size);
        }
    }

    /**
     * The program form for units whose strips are interleaved: a unit is a sequence of groups of w packets of {@value
     * PacketLayout#PACKET} bytes, and packet b of each group belongs to strip b. Unit lengths are multiples of a group's.
     *
     * <p>The packets of a group are close together. So with the Vector API the whole program becomes one loop of straight-line
     * code whose values stay in registers.
     */
    public static StripKernel packets(int w, ScheduledProgram schedule) {
        return packets(w, schedule, Tier.current());
    }

    static StripKernel packets(int w, ScheduledProgram schedule, Tier tier) {
        BlockProgram program = BlockProgram.of(schedule);
        PacketLayout layout = new PacketLayout(w, program.inputs() / w, program.outputs() / w, program.scratch());
        PacketRunner statements = new StatementPacketRunner(layout, tier.statements(program));
        if (tier == Tier.PLAIN) {
            return new PacketKernel(layout, statements, tier.folds(program, layout));
        }
        PacketRunner generated = new GeneratedPacketRunner(layout, program);
        return new PacketKernel(
                layout, new WarmingPacketRunner(layout, statements, generated), tier.folds(program, layout));
    }

    /**
     * The matrix form: see {@link GemmTiling}.
     *
     * @param rows for each output the inputs whose xor it is
     */
    public static StripKernel gemm(int inputs, List<BitSet> rows, GemmTiling form) {
        return gemm(inputs, rows, form, Tier.current());
    }

    static StripKernel gemm(int inputs, List<BitSet> rows, GemmTiling form, Tier tier) {
        IntFunction<List<MaskProduct>> products = tier == Tier.VECTOR
                ? size -> VectorMaskProducts.of(size, form.vectors())
                : size -> List.of(new PlainMaskProduct(size));
        GemmBlockRunner blocks = new GemmBlockRunner(inputs, rows, form, products);
        BlockProgram rowByRow = BlockProgram.of(Scheduler.NONE.schedule(XorProgram.ofRows(inputs, rows)));
        return new BlockKernel(inputs, rows.size(), blocks.scratch(), blocks, form.tile(), tier.folds(rowByRow));
    }
}
