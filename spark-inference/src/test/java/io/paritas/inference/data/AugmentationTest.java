/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AugmentationTest {
    private static final List<Integer> SHAPE = List.of(2, 3, 4);

    private static byte[] pixels() {
        byte[] pixels = new byte[24];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (i + 1);
        }
        return pixels;
    }

    /** The definition: pad with black, cut out, mirror. */
    private static byte[] expected(int padding, int top, int left, boolean mirrored) {
        byte[] image = pixels();
        byte[] result = new byte[24];
        for (int c = 0; c < 2; c++) {
            byte[][] padded = new byte[3 + 2 * padding][4 + 2 * padding];
            for (int y = 0; y < 3; y++) {
                System.arraycopy(image, c * 12 + y * 4, padded[y + padding], padding, 4);
            }
            for (int y = 0; y < 3; y++) {
                for (int x = 0; x < 4; x++) {
                    result[c * 12 + y * 4 + x] = padded[y + top][(mirrored ? 3 - x : x) + left];
                }
            }
        }
        return result;
    }

    @Test
    void everyCropAndMirroringOccursAndNothingElse() {
        Set<List<Byte>> possible = new HashSet<>();
        for (int top = 0; top <= 4; top++) {
            for (int left = 0; left <= 4; left++) {
                possible.add(boxed(expected(2, top, left, false)));
                possible.add(boxed(expected(2, top, left, true)));
            }
        }
        Augmentation augmentation = new Augmentation(2, 0.5, 3);
        Set<List<Byte>> seen = new HashSet<>();
        for (int i = 0; i < 2000; i++) {
            seen.add(boxed(augmentation.apply(pixels(), SHAPE, 0, i)));
        }
        assertThat(seen).isEqualTo(possible);
    }

    @Test
    void alsoBordersWiderThanTheImage() {
        Augmentation augmentation = new Augmentation(9, 0.5, 3);
        for (int i = 0; i < 500; i++) {
            assertThat(augmentation.apply(pixels(), SHAPE, 0, i)).hasSize(24);
        }
    }

    @Test
    void repeatsForSeedEpochAndIndex() {
        Augmentation augmentation = Augmentation.cifar(5);
        byte[] image = pixels();
        int changes = 0;
        for (int i = 0; i < 100; i++) {
            byte[] variant = augmentation.apply(image, SHAPE, 3, i);
            assertThat(Augmentation.cifar(5).apply(image, SHAPE, 3, i)).isEqualTo(variant);
            changes += Arrays.equals(augmentation.apply(image, SHAPE, 4, i), variant) ? 0 : 1;
            changes += Arrays.equals(Augmentation.cifar(6).apply(image, SHAPE, 3, i), variant) ? 0 : 1;
        }
        assertThat(changes).isGreaterThan(100);
    }

    @Test
    void mirrorsTheShareAskedFor() {
        Augmentation augmentation = new Augmentation(0, 0.25, 1);
        int mirrored = 0;
        for (int i = 0; i < 4000; i++) {
            mirrored += augmentation.apply(pixels(), SHAPE, 0, i)[0] == 4 ? 1 : 0;
        }
        assertThat(mirrored).isBetween(900, 1100);
    }

    @Test
    void normalizesAfterwardsSoThatBordersAreBlack() {
        ImageSet images = ImageSet.of(List.of(3, 1, 1), new byte[][] {{9, 9, 9}}, new int[1], List.of("a"));
        float black = -0.4914f / 0.2023f;
        int blacks = 0;
        for (int epoch = 0; epoch < 20; epoch++) {
            float[] floats = new float[3];
            Augmentation.cifar(1).toFloats(images, 0, epoch, Normalization.CIFAR10, floats, 0);
            blacks += floats[0] == black ? 1 : 0;
        }
        assertThat(blacks).isGreaterThan(10);
        float[] same = new float[3];
        Augmentation.NONE.toFloats(images, 0, 7, Normalization.NONE, same, 0);
        assertThat(same).containsExactly(9 / 255f, 9 / 255f, 9 / 255f);
    }

    @Test
    void refusesOtherRanges() {
        assertThatThrownBy(() -> new Augmentation(-1, 2, 0))
                .hasMessage("padding must be at least 0 and flips between 0 and 1, got -1 and 2.0");
    }

    private static List<Byte> boxed(byte[] bytes) {
        Byte[] boxed = new Byte[bytes.length];
        Arrays.setAll(boxed, i -> bytes[i]);
        return List.of(boxed);
    }
}
