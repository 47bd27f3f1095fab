/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Generators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CodeNameTest {
    @ParameterizedTest
    @CsvSource({
        "rs-6-3, RS, 6, 3, rs-6-3",
        "rs-1-1, RS, 1, 1, rs-1-1",
        "rs-255-1, RS, 255, 1, rs-255-1",
        "isal-4-2, ISAL, 4, 2, isal-4-2",
        "xor-2, XOR, 2, 1, xor-2",
        "xor-2-1, XOR, 2, 1, xor-2",
    })
    void namesACode(String name, CodeFamily family, int k, int r, String shown) {
        CodeName code = CodeName.parse(name);
        assertThat(code).isEqualTo(new CodeName(family, new CodeParameters(k, r)));
        assertThat(code).hasToString(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "rs", "rs-6", "rs-6-3-1", "rs-6,3", "rs--6-3", "RS-6-3 ", "lrc-6-3", "xor", "rs-1000-3"})
    void anythingElseIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CodeName.parse(name))
                .withMessage(
                        "A code is rs-K-R, isal-K-R or xor-K, with K data units and R parity units, such as rs-6-3,"
                                + " isal-4-2 or xor-2; got '" + name + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "xor-4-2, An xor code has one parity unit; got 2",
        "rs-0-3, A code over bytes needs k >= 1",
        "rs-254-3, A code over bytes needs k >= 1",
        "isal-30-4, ISA-L's Vandermonde matrix repairs every loss",
    })
    void aShapeThatTheFamilyDoesNotHaveIsRefused(String name, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CodeName.parse(name))
                .withMessageContaining("got '" + name + "'. " + reason);
    }

    @Test
    void theFamiliesKeepTheirNumbers() {
        assertThat(CodeFamily.values()).extracting(CodeFamily::id).containsExactly(1, 2, 3);
        assertThat(CodeFamily.withId(4)).isEmpty();
    }

    @Test
    void theGeneratorIsTheFamilys() {
        CodeParameters shape = new CodeParameters(4, 2);
        assertThat(CodeName.parse("rs-4-2").erasureCode().generator().toRows())
                .isDeepEqualTo(Generators.hdfsCauchy(shape).toRows());
        assertThat(CodeName.parse("isal-4-2").erasureCode().generator().toRows())
                .isDeepEqualTo(Generators.isalVandermonde(shape).toRows());
    }
}
