/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.erasure.kernel.xor.Compression;
import io.paritas.erasure.kernel.xor.Deadline;
import io.paritas.erasure.kernel.xor.GemmTiling;
import io.paritas.erasure.kernel.xor.Scheduler;
import io.paritas.erasure.kernel.xor.StripKernel;
import io.paritas.erasure.kernel.xor.StripKernels;
import io.paritas.erasure.kernel.xor.Strips;
import io.paritas.erasure.kernel.xor.XorProgram;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * What each step of the program compiler is worth (the ablation of Uezato, SC'21, section 7), beside the matrix form, for
 * encoders of ISA-L's Vandermonde codes. One thread, heap arrays; each line is the best of many rounds, in 10<sup>9</sup>
 * bytes of <i>data</i> (k units) per second.
 *
 * <pre>
 * ./mvnw -q -pl hdfs-codec test-compile dependency:build-classpath -Dmdep.outputFile=target/test.classpath
 * java --add-modules jdk.incubator.vector \
 *     -cp hdfs-codec/target/test-classes:hdfs-codec/target/classes:$(cat hdfs-codec/target/test.classpath) \
 *     io.paritas.erasure.StripBenchmark
 * </pre>
 */
public final class StripBenchmark {
    /** What is measured. */
    enum Variant {
        /** The matrix as it is, two operands at a time. */
        P {
            @Override
            StripKernel kernel(int inputs, List<BitSet> rows, int block) {
                XorProgram program = XorProgram.ofRows(inputs, rows).binary();
                return StripKernels.program(Scheduler.IN_ORDER.schedule(program), block);
            }
        },
        /** Compressed, two operands at a time. */
        COMPRESSED {
            @Override
            StripKernel kernel(int inputs, List<BitSet> rows, int block) {
                XorProgram program = XorProgram.of(Compression.xorRePair(inputs, rows, Deadline.never()));
                return StripKernels.program(Scheduler.NONE.schedule(program), block);
            }
        },
        /** Compressed and fused. */
        FUSED {
            @Override
            StripKernel kernel(int inputs, List<BitSet> rows, int block) {
                XorProgram program = XorProgram.optimised(inputs, rows, Deadline.never());
                return StripKernels.program(Scheduler.NONE.schedule(program), block);
            }
        },
        /** Compressed, fused, scheduled depth first. */
        DEPTH_FIRST {
            @Override
            StripKernel kernel(int inputs, List<BitSet> rows, int block) {
                XorProgram program = XorProgram.optimised(inputs, rows, Deadline.never());
                return StripKernels.program(Scheduler.DEPTH_FIRST.schedule(program), block);
            }
        },
        /** Compressed, fused, scheduled bottom up. */
        GREEDY {
            @Override
            StripKernel kernel(int inputs, List<BitSet> rows, int block) {
                XorProgram program = XorProgram.optimised(inputs, rows, Deadline.never());
                return StripKernels.program(Scheduler.GREEDY.schedule(program), block);
            }
        },
        /** As depth first, in one method of generated code, on interleaved packets; there are no blocks. */
        PACKETS {
            @Override
            StripKernel kernel(int inputs, List<BitSet> rows, int block) {
                XorProgram program = XorProgram.optimised(inputs, rows, Deadline.never());
                return StripKernels.packets(W, Scheduler.DEPTH_FIRST.schedule(program));
            }
        },
        /** The matrix form, the block being the tile. */
        GEMM {
            @Override
            StripKernel kernel(int inputs, List<BitSet> rows, int block) {
                return StripKernels.gemm(inputs, rows, new GemmTiling(block, 8, 2, GemmTiling.Packing.ON));
            }
        },
        /** The matrix form without packing. */
        GEMM_UNPACKED {
            @Override
            StripKernel kernel(int inputs, List<BitSet> rows, int block) {
                return StripKernels.gemm(inputs, rows, new GemmTiling(block, 8, 2, GemmTiling.Packing.OFF));
            }
        };

        abstract StripKernel kernel(int inputs, List<BitSet> rows, int block);
    }

    private static final int W = 8;
    private static final int[] BLOCKS = {512, 1024, 2048, 4096, 8192};

    private static final Duration WARM_UP = Duration.ofSeconds(3);

    private final Variant variant;
    private final StripKernel kernel;
    private final byte[][] data;
    private final byte[][] parity;

    StripBenchmark(Variant variant, CodeParameters code, int block, int unitLength) {
        this.variant = variant;
        List<BitSet> rows = BitMatrix.rows(Generators.isalVandermonde(code));
        kernel = variant.kernel(code.k() * W, rows, block);
        data = Stripes.units(code.k(), unitLength, Stripes.random("strips"));
        parity = new byte[code.r()][unitLength];
    }

    /** Encodes until the compilers should be done. */
    StripBenchmark warmedUp() {
        measure(variant == Variant.PACKETS ? WARM_UP.multipliedBy(5) : WARM_UP);
        return this;
    }

    /** Encodes over and over for so long; the best rate, in GB of data per second. */
    double measure(Duration time) {
        Strips from = Strips.of(W, data);
        Strips to = Strips.of(W, parity);
        long best = Long.MAX_VALUE;
        long start = System.nanoTime();
        long before = start;
        do {
            kernel.apply(from, to);
            long now = System.nanoTime();
            best = Math.min(best, now - before);
            before = now;
        } while (before - start < time.toNanos());
        return (double) data.length * data[0].length / best;
    }

    byte[][] parity() {
        return Arrays.stream(parity).map(byte[]::clone).toArray(byte[][]::new);
    }

    /**
     * Prints a table for each code and unit length.
     *
     * @param args none, or the milliseconds for each number
     */
    public static void main(String[] args) {
        Duration time = Duration.ofMillis(args.length > 0 ? Long.parseLong(args[0]) : 1000);
        for (int unitLength : new int[] {128 << 10, 1 << 20}) {
            for (CodeParameters code :
                    List.of(new CodeParameters(10, 4), new CodeParameters(8, 4), new CodeParameters(6, 3))) {
                System.out.printf("RS%s, units of %d KiB, GB/s by block size%n%-14s", code, unitLength >> 10, "");
                Arrays.stream(BLOCKS).forEach(block -> System.out.printf("%7d", block));
                for (Variant variant : Variant.values()) {
                    System.out.printf("%n%-14s", variant);
                    for (int block : variant == Variant.PACKETS ? new int[] {0} : BLOCKS) {
                        StripBenchmark benchmark = new StripBenchmark(variant, code, block, unitLength).warmedUp();
                        System.out.printf("%7.1f", benchmark.measure(time));
                    }
                }
                System.out.println("\n");
            }
        }
    }
}
