/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueryEncoderTest {

    @Test
    void additionWeighsMembersByTheirPlaces() {
        QueryEncoder encoder = new QueryEncoder(new Combinations(3, 3), Encoding.ADDITION, List.of(2));
        List<float[]> queries = List.of(new float[] {1, 2}, new float[] {10, 20}, new float[] {100, 200});
        assertThat(encoder.encode(queries, 0)).containsExactly(111, 222);
        assertThat(encoder.encode(queries, 1)).containsExactly(321, 642);
        assertThat(encoder.encode(queries, 2)).containsExactly(941, 1882);
    }

    @Test
    void onlyParitiesOfTheCodeAreMade() {
        List<float[]> queries = List.of(new float[8], new float[8]);
        for (Encoding encoding : Encoding.values()) {
            QueryEncoder encoder = new QueryEncoder(new Combinations(2, 1), encoding, List.of(1, 2, 4));
            for (int parity : new int[] {-1, 1, 5}) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> encoder.encode(queries, parity))
                        .withMessage("a parity query is one of r = 1, from 0 on, got " + parity);
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> encoder.encode(queries, parity, 0, 1, new float[8]))
                        .withMessage("a parity query is one of r = 1, from 0 on, got " + parity);
            }
        }
    }

    @Test
    void aGroupThatIsNotFullDividesThePlacesEvenly() {
        QueryEncoder encoder = new QueryEncoder(new Combinations(3, 2), Encoding.ADDITION, List.of(1));
        List<float[]> queries = List.of(new float[] {1}, new float[] {10});
        assertThat(encoder.encode(queries, 0)).containsExactly(21);
        assertThat(encoder.encode(queries, 1)).containsExactly(1 + 10 * (2 + 3));
        for (int k = 2; k <= 16; k++) {
            Combinations code = new Combinations(k, 2);
            for (int members = 1; members <= k; members++) {
                int[] places = new int[members];
                double[] weights = new double[members];
                for (int place = 0; place < k; place++) {
                    places[code.memberAt(place, members)]++;
                    weights[code.memberAt(place, members)] += place + 1;
                }
                for (int member = 0; member < members; member++) {
                    assertThat(places[member]).isBetween(k / members, (k + members - 1) / members);
                    assertThat(code.weight(0, member, members)).isEqualTo(places[member]);
                    assertThat(code.weight(1, member, members)).isEqualTo(weights[member]);
                }
            }
        }
        QueryEncoder tiles = new QueryEncoder(new Combinations(2, 1), Encoding.CONCATENATION, List.of(1, 2, 4));
        assertThat(tiles.encode(List.of(new float[] {1, 1, 1, 1, 2, 2, 2, 2}), 0))
                .containsExactly(1, 1, 1, 1, 2, 2, 2, 2);
    }

    @Test
    void twoImagesLieSideBySide() {
        QueryEncoder encoder = new QueryEncoder(new Combinations(2, 1), Encoding.CONCATENATION, List.of(2, 2, 4));
        float[] encoded = encoder.encode(List.of(constant(16, 3), constant(16, 5)), 0);
        assertThat(encoded).containsExactly(3, 3, 5, 5, 3, 3, 5, 5, 3, 3, 5, 5, 3, 3, 5, 5);
    }

    @Test
    void ofThreeImagesTheLastIsAsWideAsTheOthersTogether() {
        QueryEncoder encoder = new QueryEncoder(new Combinations(3, 1), Encoding.CONCATENATION, List.of(2, 4, 4));
        float[] channel = {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3};
        float[] encoded = encoder.encode(List.of(constant(32, 1), constant(32, 2), constant(32, 3)), 0);
        assertThat(Arrays.copyOf(encoded, 16)).containsExactly(channel);
        assertThat(Arrays.copyOfRange(encoded, 16, 32)).as("second channel").containsExactly(channel);
        float[] columns = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4};
        QueryEncoder grey = new QueryEncoder(new Combinations(3, 1), Encoding.CONCATENATION, List.of(1, 4, 4));
        assertThat(Arrays.copyOfRange(grey.encode(List.of(columns, columns, columns), 0), 8, 16))
                .as("only its height was halved")
                .containsExactly(1, 2, 3, 4, 1, 2, 3, 4);
    }

    @Test
    void fourImagesLieInTheQuadrants() {
        QueryEncoder encoder = new QueryEncoder(new Combinations(4, 2), Encoding.CONCATENATION, List.of(1, 4, 4));
        List<float[]> images = List.of(constant(16, 1), constant(16, 2), constant(16, 3), constant(16, 4));
        float[] quadrants = {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4};
        assertThat(encoder.encode(images, 0)).containsExactly(quadrants);
        assertThat(encoder.encode(images, 1)).as("every parity's").containsExactly(quadrants);
        assertThat(encoder.encode(images.subList(0, 2), 0))
                .as("two of four")
                .containsExactly(1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2);
    }

    @Test
    void notANumberStaysVisible() {
        QueryEncoder encoder = new QueryEncoder(new Combinations(2, 1), Encoding.ADDITION, List.of(2));
        assertThat(encoder.encode(List.of(new float[] {1, Float.NaN}, new float[] {1, 1}), 0))
                .containsExactly(2, Float.NaN);
    }

    @Test
    void queriesThatDoNotFitAreRefused() {
        QueryEncoder encoder = new QueryEncoder(new Combinations(2, 1), Encoding.ADDITION, List.of(1, 2));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encoder.encode(List.of(new float[3]), 0))
                .withMessage("every query must have the 2 values of shape [1, 2], got 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encoder.encode(List.of(), 0))
                .withMessage("a coding group has 1 to k = 2 queries, got 0");
    }

    @Test
    void concatenationTakesOnlyImagesThatCanBeHalved() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new QueryEncoder(new Combinations(5, 1), Encoding.CONCATENATION, List.of(1, 4, 4)))
                .withMessage("concatenation is for groups of 2 to 4 images, got k = 5: use addition");
        for (List<Integer> shape : List.of(List.of(16), List.of(1, 4, 3), List.of(1, 3, 4))) {
            for (int k : new int[] {3, 4}) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> new QueryEncoder(new Combinations(k, 1), Encoding.CONCATENATION, shape))
                        .withMessage(
                                "concatenation needs images (channels, height, width) whose sides can be halved, got the"
                                        + " shape " + shape + ": use addition");
            }
        }
    }

    private static float[] constant(int size, float value) {
        float[] values = new float[size];
        Arrays.fill(values, value);
        return values;
    }
}
