/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class GlyphsTest {
    @Test
    void repeatToTheBitOnEveryMachine() {
        assertThat(checksum(new Glyphs(50, 1, 28, 1, 36).draw())).isEqualTo(GRAY);
        assertThat(checksum(new Glyphs(50, 1, 32, 3, 10).draw())).isEqualTo(COLOUR);
    }

    private static final long GRAY = 2192736579L;
    private static final long COLOUR = 3796132010L;

    @Test
    void fewerAreTheFirstOfMore() {
        ImageSet few = new Glyphs(10, 4, 20, 1, 10).draw();
        ImageSet more = new Glyphs(30, 4, 20, 1, 10).draw();
        assertThat(checksum(more.limit(10))).isEqualTo(checksum(few));
        assertThat(checksum(new Glyphs(10, 5, 20, 1, 10).draw())).isNotEqualTo(checksum(few));
    }

    @Test
    void haveTheShapeAndClassesAskedFor() {
        ImageSet images = new Glyphs(600, 1, 24, 3, 36).draw();
        assertThat(images).hasToString("600 images (3, 24, 24) of 36 classes");
        assertThat(images.classes()).startsWith("0", "1").endsWith("Y", "Z").isSorted();
        int[] counts = new int[36];
        for (int i = 0; i < images.size(); i++) {
            counts[images.label(i)]++;
        }
        assertThat(counts).doesNotContain(0);
    }

    /** Far from chance by the mean image of each class, far from perfect: there is something to learn. */
    @Test
    void areLearnableAndNotTrivial() {
        ImageSet images = new Glyphs(3000, 1, 28, 1, 10).draw();
        double[][] means = new double[10][784];
        for (int i = 0; i < 2000; i++) {
            float[] image = floats(images, i);
            for (int p = 0; p < 784; p++) {
                means[images.label(i)][p] += image[p] / 200;
            }
        }
        int right = 0;
        for (int i = 2000; i < 3000; i++) {
            right += nearest(means, floats(images, i)) == images.label(i) ? 1 : 0;
        }
        assertThat(right).isBetween(500, 900);
    }

    private static float[] floats(ImageSet images, int index) {
        float[] image = new float[784];
        images.toFloats(index, Normalization.NONE, image, 0);
        return image;
    }

    private static int nearest(double[][] means, float[] image) {
        int best = 0;
        double least = Double.MAX_VALUE;
        for (int c = 0; c < means.length; c++) {
            double distance = 0;
            for (int p = 0; p < image.length; p++) {
                distance += (image[p] - means[c][p]) * (image[p] - means[c][p]);
            }
            best = distance < least ? c : best;
            least = Math.min(distance, least);
        }
        return best;
    }

    @Test
    void refuseOtherRanges() {
        assertThatThrownBy(() -> new Glyphs(0, 1, 28, 1, 10))
                .hasMessage("the count of glyphs must be at least 1, got 0");
        assertThatThrownBy(() -> new Glyphs(1, 1, 7, 1, 10))
                .hasMessage("the side of glyphs must be 8 to 1024 pixels, got 7");
        assertThatThrownBy(() -> new Glyphs(1, 1, 28, 2, 10))
                .hasMessage("the channels of glyphs must be 1 or 3, got 2");
        assertThatThrownBy(() -> new Glyphs(1, 1, 28, 1, 37))
                .hasMessage("the classes of glyphs must be 2 to 36, got 37");
        assertThat(Glyphs.DEFAULT).isEqualTo(new Glyphs(10_000, 1, 28, 1, 10));
    }

    /** Of all labels and images. */
    static long checksum(ImageSet images) {
        CRC32 crc = new CRC32();
        for (int i = 0; i < images.size(); i++) {
            crc.update(images.label(i));
            crc.update(images.image(i));
        }
        return crc.getValue();
    }
}
