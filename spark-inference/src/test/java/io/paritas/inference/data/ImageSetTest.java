/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class ImageSetTest {
    private static final List<Integer> SHAPE = List.of(3, 1, 2);
    private static final List<String> CLASSES = List.of("ant", "bee", "cat");

    private static ImageSet images() {
        byte[][] images = {{0, 51, 102, (byte) 153, (byte) 204, (byte) 255}, {1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}};
        return ImageSet.of(SHAPE, images, new int[] {2, 0, 1}, CLASSES);
    }

    @Test
    void keepsImagesLabelsAndClasses() {
        ImageSet images = images();
        assertThat(images).hasToString("3 images (3, 1, 2) of 3 classes");
        assertThat(images.size()).isEqualTo(3);
        assertThat(images.imageSize()).isEqualTo(6);
        assertThat(images.label(0)).isEqualTo(2);
        assertThat(images.classes()).isEqualTo(CLASSES);
    }

    @Test
    void isNotChangedThroughItsArrays() {
        byte[][] given = {{1, 2, 3, 4, 5, 6}};
        int[] labels = {0};
        ImageSet images = ImageSet.of(SHAPE, given, labels, CLASSES);
        given[0][0] = 9;
        labels[0] = 1;
        images.image(0)[0] = 9;
        assertThat(images.image(0)).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(images.label(0)).isZero();
    }

    @Test
    void viewsShareTheirPixels() {
        ImageSet images = images();
        ImageSet view = images.select(new int[] {2, 0, 2});
        assertThat(view.pixels(1)).isSameAs(images.pixels(0));
        assertThat(view.label(2)).isEqualTo(1);
        assertThat(view.classes()).isEqualTo(CLASSES);
        assertThat(images.limit(2).size()).isEqualTo(2);
        assertThat(images.limit(9).size()).isEqualTo(3);
        assertThat(images.subset(1, 3).pixels(0)).isSameAs(images.pixels(1));
        assertThatThrownBy(() -> images.limit(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void writesFloatsAtTheOffset() {
        float[] floats = new float[8];
        images().toFloats(0, Normalization.NONE, floats, 1);
        assertThat(floats).containsExactly(0, 0, 0.2f, 0.4f, 0.6f, 0.8f, 1, 0);
        FloatBuffer buffer = FloatBuffer.allocate(12);
        images().toFloats(1, Normalization.NONE, buffer);
        images().toFloats(0, Normalization.NONE, buffer);
        assertThat(buffer.hasRemaining()).isFalse();
        assertThat(buffer.get(8)).isEqualTo(0.4f);
    }

    @Test
    void normalizesEachChannel() {
        float[] floats = new float[6];
        images().toFloats(0, Normalization.CIFAR10, floats, 0);
        assertThat(floats)
                .containsExactly(
                        -0.4914f / 0.2023f,
                        (0.2f - 0.4914f) / 0.2023f,
                        (0.4f - 0.4822f) / 0.1994f,
                        (0.6f - 0.4822f) / 0.1994f,
                        (0.8f - 0.4465f) / 0.2010f,
                        (1 - 0.4465f) / 0.2010f);
    }

    @Test
    void refusesANormalizationOfOtherChannels() {
        ImageSet gray = ImageSet.of(List.of(1, 1, 1), new byte[1][1], new int[1], List.of("a"));
        assertThatThrownBy(() -> gray.toFloats(0, Normalization.CIFAR10, new float[1], 0))
                .hasMessage("images must have the 3 channels of this normalization, got 1: use another, or"
                        + " Normalization.NONE");
        assertThatThrownBy(() -> new Normalization(List.of(0f), List.of(0f)))
                .hasMessage("a normalization must have a mean and a deviation above 0 for each channel, got [0.0] and"
                        + " [0.0]");
    }

    @Test
    void refusesWhatDoesNotFitTogether() {
        byte[][] one = {{1, 2, 3, 4, 5, 6}};
        assertThatThrownBy(() -> ImageSet.of(List.of(6), one, new int[1], CLASSES))
                .hasMessage("the shape of images must be (channels, height, width), got [6]");
        assertThatThrownBy(() -> ImageSet.of(SHAPE, one, new int[2], CLASSES))
                .hasMessage("every image must have a label, got 1 images and 2 labels");
        assertThatThrownBy(() -> ImageSet.of(List.of(1, 1, 2), one, new int[1], CLASSES))
                .hasMessage("an image of the shape [1, 1, 2] must have 2 bytes, image 0 has 6");
        assertThatThrownBy(() -> ImageSet.of(SHAPE, one, new int[] {3}, CLASSES))
                .hasMessage("a label must be the index of one of 3 classes, image 0 has 3");
        assertThatThrownBy(() -> ImageSet.of(SHAPE, one, new int[1], List.of("b", "a")))
                .hasMessage("classes must differ and be in lexicographic order, got 'b' before 'a'");
    }
}
