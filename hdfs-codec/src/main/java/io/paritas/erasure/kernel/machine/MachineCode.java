/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Machine code that computes a product of a matrix over GF(2<sup>8</sup>)/0x11d with units. Immutable and thread-safe; the
 * memory of the code is given back when the object is collected.
 */
public final class MachineCode {
    /** The most units of one call: the addresses are arguments. */
    public static final int MAX_UNITS = 48;

    /** The most rows of one code: sets of them are the bits of an int. */
    private static final int MAX_ROWS = Integer.SIZE;

    private static final boolean IS_SUPPORTED =
            System.getProperty("os.name").equals("Linux") && Architecture.here().isPresent();

    /** Whether code checks itself for bits that flip in the processor. */
    public enum Check {
        /** At its end the code computes the folds of the outputs of those of the inputs, and compares. */
        FOLD,
        NONE
    }

    /** What this machine runs, found once. */
    private record Support(Optional<Target> target, String refusal) {
        static final Support HERE = find();

        private static Support find() {
            if (!IS_SUPPORTED) {
                return new Support(
                        Optional.empty(),
                        "machine code is written for Linux on amd64 and aarch64, and this is "
                                + System.getProperty("os.name") + " on " + System.getProperty("os.arch"));
            }
            Optional<String> refusal = Foreign.unavailable();
            if (refusal.isPresent()) {
                return new Support(Optional.empty(), refusal.get());
            }
            return new Support(Best.TARGET, Best.CPU.refusal());
        }
    }

    /** What is best for this processor, read once. */
    private static final class Best {
        static final Cpu CPU = Cpu.read();
        static final Optional<Target> TARGET = CPU.best();
    }

    /** Whether code was written before. */
    private static volatile boolean setUp;

    private final Foreign.Memory memory;
    private final Tier tier;

    private MachineCode(Foreign.Memory memory, Tier tier) {
        this.memory = memory;
        this.tier = tier;
    }

    /**
     * Whether machine code is the fastest here, given the right flags: on Linux on amd64 where the processor has AVX2, and on
     * aarch64; on Java 17, and from Java 21 on. Where it does not {@linkplain #multiplies multiply}, that is so for most matrices.
     */
    public static boolean isFastest() {
        return IS_SUPPORTED && Foreign.isKnown() && Best.TARGET.isPresent();
    }

    /** Whether the processor multiplies in GF(2<sup>8</sup>) by an instruction. Otherwise code looks products up, in several. */
    public static boolean multiplies() {
        return Best.TARGET.filter(target -> target.tier().hasProducts).isPresent();
    }

    /** Returns why machine code cannot run here and what to do, in one sentence; empty if it can. */
    public static Optional<String> unavailable() {
        return Support.HERE.target.isPresent() ? Optional.empty() : Optional.of(Support.HERE.refusal);
    }

    /** The instructions that code uses here. Only called when available. */
    public static String description() {
        return "machine code for " + Support.HERE.target.orElseThrow().tier();
    }

    /**
     * Writes code for a matrix.
     *
     * @param rows one row of coefficients (0..255) for each output
     * @param factors two matrices whose product is the same, if there are such: the second one times the first one
     * @param check whether the code checks itself
     * @return nothing if the processor has too few registers for so many rows at once, or there are more than {@value #MAX_ROWS}
     */
    public static Optional<MachineCode> of(int[][] rows, Optional<int[][][]> factors, Check check) {
        Target target = Support.HERE.target.orElseThrow();
        Optional<MachineCode> written =
                write(target, rows, factors, check).map(code -> new MachineCode(executable(code, rows), target.tier()));
        setUp |= written.isPresent();
        return written;
    }

    private static Foreign.Memory executable(byte[] code, int[][] rows) {
        return ExecutableMemory.of(Foreign.callable(code, rows[0].length + rows.length));
    }

    /** Whether units may be in arrays. On Java 17 and 21 they are in direct buffers. */
    public static boolean takesArrays() {
        return Foreign.takesArrays();
    }

    /** Whether this JVM has written code before. The first takes a third of a second of its start, later ones some milliseconds. */
    public static boolean isSetUp() {
        return setUp;
    }

    /** The code of the cheapest program that the registers suffice for. */
    static Optional<byte[]> write(Target target, int[][] rows, Optional<int[][][]> factors, Check check) {
        if (rows.length > MAX_ROWS) {
            return Optional.empty();
        }
        return programs(rows, factors)
                .flatMap(target.tier()::ways)
                .sorted(Comparator.comparingInt(program -> cost(target.tier(), program)))
                .flatMap(program -> {
                    try {
                        return Stream.of(KernelWriter.write(target, program, check));
                    } catch (RegisterFile.TooFewException e) {
                        return Stream.empty();
                    }
                })
                .findFirst();
    }

    private static Stream<ProductProgram> programs(int[][] rows, Optional<int[][][]> factors) {
        return Stream.concat(ways(rows), factors.stream().flatMap(pair -> ways(pair[0])
                .flatMap(first -> ways(pair[1]).map(first::then))));
    }

    private static Stream<ProductProgram> ways(int[][] rows) {
        return rows.length > RowBasis.MOST_ROWS
                ? Stream.of(ProductProgram.plain(rows))
                : Stream.of(ProductProgram.shared(rows), ProductProgram.plain(rows));
    }

    /**
     * In half instructions: a processor has twice as many units for xors as for products. Look-ups count as xors: where they counted twice, slower
     * programs were taken with AVX2.
     */
    private static int cost(Tier tier, ProductProgram program) {
        return 2 * program.products() + program.lookUps() + program.xors(tier.xorTerms());
    }

    /** The bytes that code computes at once. Lengths are multiples of them. */
    public int step() {
        return tier.width.bytes;
    }

    /** The memory of the code, for {@linkplain MachineCall#run calls}. */
    public Object memory() {
        return callable(memory);
    }

    /** What calls take. */
    static Object callable(Foreign.Memory memory) {
        return takesArrays() ? memory.segment() : memory;
    }
}
