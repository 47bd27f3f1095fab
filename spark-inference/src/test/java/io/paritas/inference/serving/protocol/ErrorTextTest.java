/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ErrorTextTest {
    @Test
    void whatFitsIntoAHeaderIsKept() {
        assertThat(ErrorText.of("x".repeat(6_000))).isEqualTo("x".repeat(6_000));
        assertThat(ErrorText.of("")).isEmpty();
    }

    @Test
    void whatIsLongerIsCut() {
        assertThat(ErrorText.of("x".repeat(6_001))).isEqualTo("x".repeat(6_000) + "...");
    }

    @Test
    void charactersThatAHeaderEncodesCountAsWhatTheyBecome() {
        assertThat(ErrorText.of("\u20ac".repeat(667))).isEqualTo("\u20ac".repeat(666) + "...");
    }

    @Test
    void aFailureMayHaveNoText() {
        assertThat(ErrorText.of(null)).isEqualTo("null");
    }
}
