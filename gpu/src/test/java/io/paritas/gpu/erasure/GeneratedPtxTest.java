/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.BitMatrix;
import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Generators;
import io.paritas.erasure.LrcParameters;
import io.paritas.erasure.StripCode;
import io.paritas.erasure.kernel.Program;
import io.paritas.gpu.PtxAssembler;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Generated PTX, assembled for every GPU. */
class GeneratedPtxTest {
    private static GeneratedPtx bytes(io.paritas.erasure.Matrix generator) {
        return GeneratedPtx.of(Program.product(generator.toRows())).orElseThrow();
    }

    private static GeneratedPtx strips(int k, int r) {
        StripCode code = StripCode.cauchy(new CodeParameters(k, r));
        return GeneratedPtx.of(code.w(), k, BitMatrix.rows(code.generator())).orElseThrow();
    }

    /** "Times x" begins with a shift: each product is computed once in the wide entry, in four words, and once in the other. */
    @Test
    void multipliesNoMoreOftenThanTheProgram() {
        for (int r : new int[] {3, 4}) {
            Program program = Program.product(
                    Generators.hdfsCauchy(new CodeParameters(10, r)).toRows());
            String text = GeneratedPtx.of(program).orElseThrow().text();
            assertThat(text.lines().filter(line -> line.contains("shl.b32")).count())
                    .isEqualTo(
                            (4 + 1) * (long) program.optimisedForTernaryXors().timesX());
        }
    }

    /** Some have digits of their own, which no assembler knows. */
    @Test
    void isTheSameInEveryLocale() {
        Locale locale = Locale.getDefault();
        String text = strips(6, 3).text();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG"));
            assertThat(strips(6, 3).text()).isEqualTo(text);
        } finally {
            Locale.setDefault(locale);
        }
    }

    @Test
    void assemblesWithoutSpills() {
        List<GeneratedPtx> all = List.of(
                bytes(Generators.hdfsCauchy(new CodeParameters(6, 3))),
                bytes(Generators.hdfsCauchy(new CodeParameters(10, 4))),
                bytes(Generators.paritas(new CodeParameters(10, 4))),
                bytes(Generators.lrc(new LrcParameters(12, 2, 2))),
                bytes(Generators.hdfsCauchy(new CodeParameters(10, 8))),
                strips(6, 3),
                strips(10, 4),
                strips(10, 8));
        for (GeneratedPtx ptx : all) {
            for (String gpu : PtxAssembler.GPUS) {
                PtxAssembler.Result result = PtxAssembler.assemble(ptx.text(), gpu);
                assertThat(result.accepted())
                        .as("%s for %s: %s", ptx.layout(), gpu, result.log())
                        .isTrue();
                assertThat(result.spilledBytes())
                        .as("%s for %s: %s", ptx.layout(), gpu, result.log())
                        .isZero();
            }
        }
    }
}
