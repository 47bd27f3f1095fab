/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CodeNameTest {
    @ParameterizedTest
    @CsvSource({
        "rs-6-3, RS, 6, 3, rs-6-3",
        "RS-6-3, RS, 6, 3, rs-6-3",
        "rs-1-1, RS, 1, 1, rs-1-1",
        "rs-255-1, RS, 255, 1, rs-255-1",
        "isal-4-2, ISAL, 4, 2, isal-4-2",
        "xor-2, XOR, 2, 1, xor-2",
        "xor-2-1, XOR, 2, 1, xor-2",
        "paritas-6-3, PARITAS, 6, 3, paritas-6-3",
        "6-3, PARITAS, 6, 3, paritas-6-3",
        "5-1, PARITAS, 5, 1, paritas-5-1",
        "5-2, RS, 5, 2, rs-5-2",
    })
    void namesACode(String name, CodeFamily family, int k, int r, String shown) {
        CodeName code = CodeName.parse(name);
        assertThat(code).isEqualTo(new CodeName(family, new CodeParameters(k, r)));
        assertThat(code).hasToString(shown);
    }

    @Test
    void namesALocalReconstructionCode() {
        CodeName code = CodeName.parse("lrc-12-2-2");
        assertThat(code).isEqualTo(new CodeName(CodeFamily.LRC, new CodeParameters(12, 4), 2));
        assertThat(code).hasToString("lrc-12-2-2");
        assertThat(code.n()).isEqualTo(16);
        assertThat(code.tolerated()).isEqualTo(2);
        assertThat(CodeName.parse("rs-6-3").tolerated()).isEqualTo(3);
    }

    @Test
    void theFamilyMayBeInCapitals() {
        assertThat(CodeName.parse("LRC-12-2-2")).isEqualTo(CodeName.parse("lrc-12-2-2"));
        assertThat(CodeName.parseForFiles("Strip-6-3-4")).isEqualTo(CodeName.parseForFiles("strip-6-3-4"));
    }

    @Test
    void namesACodeOfStripsForFilesOnly() {
        CodeName code = CodeName.parseForFiles("strip-6-3-4");
        assertThat(code).isEqualTo(new CodeName(CodeFamily.STRIP, new CodeParameters(6, 3), 4));
        assertThat(code).hasToString("strip-6-3-4");
        assertThat(code.strips()).isEqualTo(4);
        assertThat(code.localGroups()).isZero();
        assertThat(CodeName.parseForFiles("6-3")).isEqualTo(CodeName.parse("6-3"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CodeName.parse("strip-6-3-4"))
                .withMessageEndingWith("got 'strip-6-3-4': a strip code is for files, which always read whole units");
        assertThatIllegalStateException()
                .isThrownBy(code::erasureCode)
                .withMessage("a byte-local code is needed here, strip-6-3-4 is one of strips");
    }

    @ParameterizedTest
    @CsvSource({
        "strip-6-3-3, 'a strip code needs K + R <= 2^W, with W = 1 to 8 strips in a unit, got (6,3) and W = 3'",
        "strip-6-3-9, 'a strip code needs K + R <= 2^W, with W = 1 to 8 strips in a unit, got (6,3) and W = 9'",
        "strip-1-1-0, 'a strip code needs K + R <= 2^W, with W = 1 to 8 strips in a unit, got (1,1) and W = 0'",
    })
    void aCodeOfStripsNeedsALargeEnoughField(String name, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CodeName.parseForFiles(name))
                .withMessageStartingWith(
                        "a code for files may also be strip-K-R-W, with W strips in a unit; a code must be ")
                .withMessageEndingWith("got '" + name + "': " + reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "6",
                "rs",
                "rs-6",
                "rs-6-3-1",
                "6-3-1",
                "rs-6,3",
                "rs--6-3",
                "RS-6-3 ",
                "lrc-6-3",
                "xor",
                "rs-1000-3",
                "lrc-6-2-2-2",
                "raid-6-3",
                "-6-3"
            })
    void anythingElseIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CodeName.parse(name))
                .withMessage(
                        "a code must be K-R, paritas-K-R, rs-K-R, isal-K-R, xor-K or lrc-K-R-L, with K data units, R"
                                + " parity units and L local ones, such as 6-3, rs-6-3, isal-4-2, xor-2 or lrc-12-2-2, got"
                                + " '"
                                + name + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "xor-4-2, 'an xor code has one parity unit, got 2'",
        "rs-0-3, a code over bytes needs k >= 1",
        "rs-254-3, a code over bytes needs k >= 1",
        "isal-30-4, ISA-L's Vandermonde matrix is for r <= 3",
        "paritas-5-2, Paritas has a generator of its own for r = 1 and for (3,2)",
        "254-3, a code over bytes needs k >= 1",
        "lrc-8-2-2, 'Paritas has a local reconstruction code for (6,2,2), (12,2,2), (10,2,2), (16,2,4), got (8,2,2)'",
        "lrc-8-2-3, a local reconstruction code needs k >= 1",
    })
    void aShapeThatTheFamilyDoesNotHaveIsRefused(String name, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CodeName.parse(name))
                .withMessageContaining("got '" + name + "': " + reason);
    }

    @Test
    void theFamiliesKeepTheirNumbers() {
        assertThat(CodeFamily.values()).extracting(CodeFamily::id).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(CodeFamily.withId(7)).isEmpty();
    }

    @Test
    void makesACodeOnce() {
        assertThat(CodeName.parse("6-3").erasureCode())
                .isSameAs(CodeName.parse("paritas-6-3").erasureCode());
    }

    @Test
    void theGeneratorIsTheFamilys() {
        CodeParameters shape = new CodeParameters(4, 2);
        assertThat(CodeName.parse("rs-4-2").erasureCode().generator().toRows())
                .isDeepEqualTo(Generators.hdfsCauchy(shape).toRows());
        assertThat(CodeName.parse("isal-4-2").erasureCode().generator().toRows())
                .isDeepEqualTo(Generators.isalVandermonde(shape).toRows());
        assertThat(CodeName.parse("paritas-4-2").erasureCode().generator().toRows())
                .isDeepEqualTo(Generators.paritas(shape).toRows());
        assertThat(CodeName.parse("lrc-6-2-2").erasureCode().generator().toRows())
                .isDeepEqualTo(Generators.lrc(new LrcParameters(6, 2, 2)).toRows());
    }
}
