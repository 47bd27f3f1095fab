/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScenesTest {
    private static final long SUM = 3743589341L;

    @Test
    void repeatToTheBitOnEveryMachine() {
        assertThat(GlyphsTest.checksum(new Scenes(40, 1, 50).draw())).isEqualTo(SUM);
    }

    @Test
    void fewerAreTheFirstOfMore() {
        ImageSet few = new Scenes(10, 4, 20).draw();
        assertThat(GlyphsTest.checksum(new Scenes(30, 4, 20).draw().limit(10))).isEqualTo(GlyphsTest.checksum(few));
        assertThat(GlyphsTest.checksum(new Scenes(10, 5, 20).draw())).isNotEqualTo(GlyphsTest.checksum(few));
    }

    @Test
    void halfOfThemHaveACar() {
        ImageSet images = new Scenes(600, 1, 16).draw();
        assertThat(images).hasToString("600 images (3, 16, 16) of 2 classes");
        assertThat(images.classes()).containsExactly("car", "none");
        assertThat(IntStream.range(0, 600).filter(i -> images.label(i) == 0).count())
                .isBetween(240L, 360L);
    }

    /** The camera is fixed: what is above the road differs by light, clouds and people only; the road tells the classes apart. */
    @Test
    void aCarIsOnTheRoadAndNowhereElse() {
        ImageSet images = new Scenes(400, 2, 50).draw();
        double[] houses = new double[2];
        double[] road = new double[2];
        for (int i = 0; i < images.size(); i++) {
            houses[images.label(i)] += roughness(images.image(i), 7, 16);
            road[images.label(i)] += roughness(images.image(i), 38, 46);
        }
        assertThat(houses[0] / houses[1]).isBetween(0.8, 1.25);
        assertThat(road[0] / road[1]).isGreaterThan(1.5);
    }

    /** How much neighbours in rows of the red channel differ, in parts of the light. */
    private static double roughness(byte[] image, int from, int to) {
        double differences = 0;
        double light = 0;
        for (int y = from; y < to; y++) {
            for (int x = 1; x < 50; x++) {
                int value = Byte.toUnsignedInt(image[50 * y + x]);
                int difference = value - Byte.toUnsignedInt(image[50 * y + x - 1]);
                differences += difference * difference;
                light += value;
            }
        }
        return differences / light;
    }

    @Test
    void refuseOtherRanges() {
        assertThatThrownBy(() -> new Scenes(0, 1, 50)).hasMessage("the count of scenes must be at least 1, got 0");
        assertThatThrownBy(() -> new Scenes(1, 1, 15))
                .hasMessage("the side of scenes must be 16 to 1024 pixels, got 15");
        assertThat(Scenes.DEFAULT).isEqualTo(new Scenes(10_000, 1, 50));
    }
}
