/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The axioms of a field, for every element of every field. */
class GaloisFieldTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void multiplicationIsThatOfPolynomials(int w) {
        GaloisField field = GaloisField.ofWidth(w);
        for (int a = 0; a < field.size(); a++) {
            for (int b = 0; b < field.size(); b++) {
                assertThat(field.multiply(a, b))
                        .isEqualTo(bitByBit(field, a, b))
                        .isEqualTo(field.multiply(b, a));
            }
        }
    }

    private static int bitByBit(GaloisField field, int a, int b) {
        int product = 0;
        for (int bit = field.w() - 1; bit >= 0; bit--) {
            product <<= 1;
            if (product >= field.size()) {
                product ^= field.polynomial();
            }
            product ^= (b >> bit & 1) * a;
        }
        return product;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void multiplicationIsAssociativeAndDistributive(int w) {
        GaloisField field = GaloisField.ofWidth(w);
        boolean holds = true;
        for (int a = 0; a < field.size(); a++) {
            for (int b = 0; b < field.size(); b++) {
                for (int c = 0; c < field.size(); c++) {
                    holds &= field.multiply(a, field.multiply(b, c)) == field.multiply(field.multiply(a, b), c);
                    holds &= field.multiply(a, b ^ c) == (field.multiply(a, b) ^ field.multiply(a, c));
                }
            }
        }
        assertThat(holds).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyElementButZeroHasAnInverse(int w) {
        GaloisField field = GaloisField.ofWidth(w);
        for (int a = 1; a < field.size(); a++) {
            assertThat(field.multiply(a, field.inverse(a))).isEqualTo(1);
            assertThat(field.multiply(a, 1)).isEqualTo(a);
        }
        assertThatThrownBy(() -> field.inverse(0))
                .isInstanceOf(ArithmeticException.class)
                .hasMessageContaining("0 has no inverse in GF(2^" + w + ")");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void alphaGeneratesTheGroup(int w) {
        GaloisField field = GaloisField.ofWidth(w);
        Set<Integer> powers = new HashSet<>();
        for (int e = 0; e < field.size() - 1; e++) {
            powers.add(field.power(e));
        }
        assertThat(powers).hasSize(field.size() - 1).doesNotContain(0);
        int alpha = w == 1 ? 1 : 2; // x is 1 modulo x + 1
        assertThat(field.power(1)).isEqualTo(alpha);
        assertThat(field.power(field.size())).isEqualTo(alpha);
    }

    @Test
    void otherWidthsAreRefused() {
        assertThatThrownBy(() -> GaloisField.ofWidth(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a symbol must have 1 to 8 bits, got w = 0");
        assertThatThrownBy(() -> GaloisField.ofWidth(9)).hasMessageContaining("got w = 9");
    }

    @Test
    void theFieldOfBytesIsHdfsField() {
        assertThat(GaloisField.bytes()).isSameAs(GaloisField.ofWidth(8)).hasToString("GF(2^8)/0x11d");
    }
}
