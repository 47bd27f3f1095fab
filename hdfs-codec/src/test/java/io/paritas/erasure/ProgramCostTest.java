/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgramCostTest {
    @Test
    void anXorOfFourTakesThree() {
        assertThat(ProgramCost.of(new int[][] {{1, 1, 1, 1}})).isEqualTo(new ProgramCost(0, 3));
    }

    /** t = a + c; y0 = t + b; y1 = (b + c) x + t. */
    @Test
    void whatTwoSumsHaveInCommonIsComputedOnce() {
        assertThat(ProgramCost.of(new int[][] {{1, 1, 1}, {1, 2, 3}})).isEqualTo(new ProgramCost(1, 4));
    }

    @Test
    void aBitThatNoCoefficientHasCostsNoXor() {
        assertThat(ProgramCost.of(new int[][] {{8, 8}})).isEqualTo(new ProgramCost(3, 1));
        assertThat(ProgramCost.of(new int[][] {{0, 0}})).isEqualTo(new ProgramCost(0, 0));
    }

    @Test
    void multiplicationsCountMoreThanXors() {
        assertThat(new ProgramCost(1, 100)).isLessThan(new ProgramCost(2, 0));
        assertThat(new ProgramCost(1, 5)).isLessThan(new ProgramCost(1, 6));
        assertThat(new ProgramCost(3, 14)).hasToString("3 times x, 14 xors");
    }

    /** What the search has reached. */
    @ParameterizedTest
    @CsvSource({
        "3, 2, 1, 4",
        "4, 2, 2, 6",
        "6, 3, 4, 13",
        "8, 2, 3, 14",
        "8, 3, 6, 17",
        "8, 4, 9, 21",
        "10, 2, 3, 18",
        "10, 4, 9, 27",
        "12, 4, 9, 35",
        "16, 4, 12, 50",
    })
    void theSearchedGeneratorsAreCheap(int k, int r, int timesX, int xors) {
        assertThat(ProgramCost.of(Generators.paritas(new CodeParameters(k, r)).toRows()))
                .isEqualTo(new ProgramCost(timesX, xors));
    }

    @ParameterizedTest
    @CsvSource({
        "6, 2, 2, 2, 12",
        "12, 2, 2, 4, 27",
        "10, 2, 2, 4, 22",
        "16, 2, 4, 6, 35",
    })
    void theLocalReconstructionCodesAreCheap(int k, int r, int l, int timesX, int xors) {
        assertThat(ProgramCost.of(Generators.lrc(new LrcParameters(k, r, l)).toRows()))
                .isEqualTo(new ProgramCost(timesX, xors));
    }
}
