/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class FindingsFileTest {
    /** A NUL, as ü where the locale is C: at a finding, it would be too late to say so. */
    @Test
    void aPathThatCannotBeIsRefusedAtTheStart() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FindingsFile("find\0ings.jsonl", () -> "application"))
                .withMessage(
                        "spark.paritas.screen.report must be a path that this machine's locale can spell, as C.UTF-8"
                                + " can, got 'find\0ings.jsonl'");
    }
}
