/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import io.paritas.erasure.kernel.TuningFile;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The way in which a product with a matrix of bits runs on whole strips. All schedules compute the same bytes, at different speeds. */
public sealed interface StripSchedule {
    /** Good on most machines. */
    OfProgram STANDARD = new OfProgram(Scheduler.DEPTH_FIRST, StripKernels.BLOCK);

    /** The usual one of products. */
    OfProduct PRODUCT = new OfProduct(GemmTiling.DEFAULT);

    /**
     * Returns the kernel.
     *
     * @param rows for each output the inputs whose xor it is
     */
    StripKernel compile(int inputs, List<BitSet> rows);

    /**
     * A program for the matrix.
     *
     * @param scheduler the order of its statements
     * @param block bytes of each strip that all statements run on before the next ones
     */
    record OfProgram(Scheduler scheduler, int block) implements StripSchedule {
        /** Bounds the optimiser for unusual codes; a common one takes some 10 ms. */
        private static final Duration OPTIMISER_BUDGET = Duration.ofSeconds(1);

        /** @throws IllegalArgumentException if a block is empty */
        public OfProgram {
            StripKernels.checkBlock(block);
        }

        /** Optimises and orders a program for the matrix. */
        public ScheduledProgram schedule(int inputs, List<BitSet> rows) {
            return scheduler.schedule(XorProgram.optimised(inputs, rows, Deadline.after(OPTIMISER_BUDGET)));
        }

        @Override
        public StripKernel compile(int inputs, List<BitSet> rows) {
            return StripKernels.program(schedule(inputs, rows), block);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "form=program scheduler=%s block=%d", lowerCase(scheduler), block);
        }
    }

    /** A product with the matrix as data. */
    record OfProduct(GemmTiling tiling) implements StripSchedule {
        @Override
        public StripKernel compile(int inputs, List<BitSet> rows) {
            return StripKernels.gemm(inputs, rows, tiling);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "form=gemm tile=%d rows=%d vectors=%d packing=%s",
                    tiling.tile(),
                    tiling.rows(),
                    tiling.vectors(),
                    lowerCase(tiling.packing()));
        }
    }

    /**
     * Reads a schedule that {@code toString} wrote.
     *
     * @throws IllegalArgumentException if the text is no schedule
     */
    static StripSchedule parse(String text) {
        if (TuningFile.fields(text, "form").get("form").equals("program")) {
            Map<String, String> fields = TuningFile.fields(text, "form", "scheduler", "block");
            return new OfProgram(
                    Scheduler.valueOf(fields.get("scheduler").toUpperCase(Locale.ROOT)),
                    Integer.parseInt(fields.get("block")));
        }
        Map<String, String> fields = TuningFile.fields(text, "form", "tile", "rows", "vectors", "packing");
        return new OfProduct(new GemmTiling(
                Integer.parseInt(fields.get("tile")),
                Integer.parseInt(fields.get("rows")),
                Integer.parseInt(fields.get("vectors")),
                GemmTiling.Packing.valueOf(fields.get("packing").toUpperCase(Locale.ROOT))));
    }

    private static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
