/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class CascadeStudyTest {
    @Test
    void foldingPaysBelowABound() {
        assertThat(CascadeStudy.folding(2, 0.25, 3))
                .isEqualTo(Map.of(
                        "folding: speed-up", 2.0,
                        "folding: accuracy lost", 0.25,
                        "folding: pays below", 2.0,
                        "large/small", 3.0,
                        "folded", 0.0));
        assertThat(CascadeStudy.folding(0.5, 0.25, 3)).containsEntry("folding: pays below", 0.0);
    }

    /** JSON would have the text "Infinity" among its numbers. */
    @Test
    void withoutALossThereIsNoBound() {
        assertThat(CascadeStudy.folding(2, 0, 3))
                .isEqualTo(Map.of(
                        "folding: speed-up", 2.0,
                        "folding: accuracy lost", 0.0,
                        "large/small", 3.0,
                        "folded", 1.0));
    }
}
