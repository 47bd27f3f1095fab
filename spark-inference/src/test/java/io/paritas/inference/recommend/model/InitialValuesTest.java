/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InitialValuesTest {
    private static final DlrmShape SHAPE = DlrmShape.evaluated(1000);

    @Test
    void rowsAreUniform() {
        InitialRows rows = InitialRows.of(SHAPE, 1);
        float[] values = new float[1000 * 128];
        IntStream.range(0, 1000).forEach(id -> rows.fill(id, values, id * 128));
        double[] scaled = IntStream.range(0, values.length)
                .mapToDouble(i -> values[i] / rows.bound())
                .toArray();
        assertThat(rows.bound()).isCloseTo(0.0191f, within(1e-4f));
        assertThat(Arrays.stream(scaled).max().orElseThrow()).isBetween(0.999, 1.0);
        assertThat(Arrays.stream(scaled).min().orElseThrow()).isBetween(-1.0, -0.999);
        assertThat(Arrays.stream(scaled).average().orElseThrow()).isCloseTo(0, within(0.01));
        assertThat(Arrays.stream(scaled).map(x -> x * x).average().orElseThrow())
                .isCloseTo(1 / 3.0, within(0.01));
    }

    @Test
    void aRowIsAFunctionOfItsIdAndTheSeed() {
        float[] expected = new float[4];
        new InitialRows(7, 4, 0.5f).fill(123_456_789_012L, expected, 0);
        float[] found = new float[9];
        new InitialRows(7, 4, 0.5f).fill(123_456_789_012L, found, 3);
        assertThat(Arrays.copyOfRange(found, 3, 7)).isEqualTo(expected);
        assertThat(found[2] + found[7]).isZero();
        float[] other = new float[4];
        new InitialRows(8, 4, 0.5f).fill(123_456_789_012L, other, 0);
        assertThat(other).isNotEqualTo(expected);
        new InitialRows(7, 4, 0.5f).fill(123_456_789_013L, other, 0);
        assertThat(other).isNotEqualTo(expected);
    }

    /** Jobs that start anew, and those that decode, count on them. */
    @Test
    void theNumbersStay() {
        float[] row = new float[3];
        new InitialRows(7, 3, 0.5f).fill(11, row, 0);
        assertThat(row).containsExactly(-0.24603015f, -0.14673162f, 0.49476814f);
        assertThat(InitialNetwork.of(SHAPE, 7)).startsWith(0.031944968f, -0.030040152f, 0.054528497f);
    }

    @Test
    void matricesAreUniformAndBiasesZero() {
        float[] network = InitialNetwork.of(SHAPE, 2);
        Layer layer = SHAPE.topLayers().get(1);
        double deviation = Math.sqrt(2.0 / 2048);
        double[] scaled = IntStream.range(layer.offset(), layer.biasOffset())
                .mapToDouble(i -> network[i] / deviation)
                .toArray();
        assertThat(scaled).hasSize(1 << 20);
        assertThat(Arrays.stream(scaled).map(Math::abs).max().orElseThrow()).isBetween(1.731, Math.sqrt(3) + 1e-6);
        assertThat(Arrays.stream(scaled).average().orElseThrow()).isCloseTo(0, within(0.01));
        assertThat(Arrays.stream(scaled).map(x -> x * x).average().orElseThrow())
                .as("the variance")
                .isCloseTo(1, within(0.01));
        assertThat(Arrays.copyOfRange(network, layer.biasOffset(), layer.end())).containsOnly(0f);
    }

    @Test
    void whatIsNoBoundIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new InitialRows(1, 4, Float.POSITIVE_INFINITY))
                .withMessage("rows must have at least 1 number and a finite bound of at least 0, got 4 and Infinity");
    }
}
