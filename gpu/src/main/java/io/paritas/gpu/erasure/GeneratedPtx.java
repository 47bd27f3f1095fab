/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.xor.Deadline;
import io.paritas.erasure.kernel.xor.Scheduler;
import io.paritas.erasure.kernel.xor.XorProgram;
import io.paritas.gpu.erasure.ColumnKernel.Access;
import io.paritas.gpu.erasure.PtxWriter.Layout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The PTX of a code: for each pass over the inputs an entry for wide columns and one for single bytes.
 *
 * @param words the 32-bit words of a wide column
 * @param text a whole module
 */
record GeneratedPtx(Layout layout, int words, int passes, String text) {
    /** The words that a thread can hold: of its 255 registers, without addresses and room for the assembler to order loads. */
    private static final int MAX_WORDS_IN_REGISTERS = 160;

    private static final int WIDEST = 4;

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** Generates a program's optimised form, in one pass; empty if a thread's registers cannot hold its values. */
    static Optional<GeneratedPtx> of(Program program) {
        StraightLineProgram code = StraightLineProgram.of(program.optimisedForTernaryXors());
        if (!fits(code)) {
            return Optional.empty();
        }
        Layout layout = new Layout(program.inputs(), program.outputs(), 1, 0);
        return Optional.of(of(layout, List.of(code), words(code)));
    }

    /**
     * Generates the product of a bitmatrix with strips, in as few passes as registers allow; empty if they do not suffice for a
     * single row.
     *
     * @param inputs how many units of w strips are read
     * @param rows for each output strip the input strips whose xor it is
     */
    static Optional<GeneratedPtx> of(int w, int inputs, List<BitSet> rows) {
        Layout layout = new Layout(inputs, rows.size() / w, w, 0);
        for (int size = rows.size(); size > 0; size /= 2) {
            List<StraightLineProgram> passes = new ArrayList<>();
            for (int from = 0; from < rows.size(); from += size) {
                passes.add(strips(inputs * w, rows.subList(from, Math.min(rows.size(), from + size))));
            }
            if (passes.stream().allMatch(GeneratedPtx::fits)) {
                int words = passes.stream().mapToInt(GeneratedPtx::words).min().orElseThrow();
                return Optional.of(of(layout, passes, words));
            }
        }
        return Optional.empty();
    }

    private static StraightLineProgram strips(int inputs, List<BitSet> rows) {
        XorProgram program = XorProgram.optimised(inputs, rows, Deadline.after(PATIENCE));
        return StraightLineProgram.of(Scheduler.DEPTH_FIRST.schedule(program));
    }

    private static boolean fits(StraightLineProgram code) {
        return code.pressure() <= MAX_WORDS_IN_REGISTERS;
    }

    private static int words(StraightLineProgram code) {
        int words = WIDEST;
        while (words > 1 && words * code.pressure() > MAX_WORDS_IN_REGISTERS) {
            words /= 2;
        }
        return words;
    }

    private static GeneratedPtx of(Layout layout, List<StraightLineProgram> passes, int words) {
        StringBuilder text = new StringBuilder(PtxWriter.HEADER);
        int output = 0;
        for (int pass = 0; pass < passes.size(); pass++) {
            StraightLineProgram code = passes.get(pass);
            Layout ofPass = new Layout(layout.inputs(), layout.outputs(), layout.w(), output);
            text.append(PtxWriter.entry(entry(Access.WIDE, pass), code, ofPass, words));
            text.append(PtxWriter.entry(entry(Access.NARROW, pass), code, ofPass, 0));
            output += code.outputs().length;
        }
        return new GeneratedPtx(layout, words, passes.size(), text.toString());
    }

    static String entry(Access access, int pass) {
        return "product_" + access.name().toLowerCase(Locale.ROOT) + "_" + pass;
    }
}
