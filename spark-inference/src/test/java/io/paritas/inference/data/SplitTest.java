/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SplitTest {
    /** Image i is the byte i. */
    private static ImageSet numbered(int count) {
        byte[][] images = new byte[count][];
        Arrays.setAll(images, i -> new byte[] {(byte) i});
        return ImageSet.of(List.of(1, 1, 1), images, new int[count], List.of("a"));
    }

    private static int[] numbers(ImageSet images) {
        return IntStream.range(0, images.size()).map(i -> images.image(i)[0]).toArray();
    }

    @Test
    void permutationsRepeatOnEveryJdk() {
        assertThat(Split.permutation(8, 19)).containsExactly(Split.permutation(8, 19));
        assertThat(Split.permutation(8, 1)).containsExactly(1, 3, 5, 2, 0, 6, 4, 7);
        assertThat(Split.permutation(100, 1)).isNotEqualTo(Split.permutation(100, 2));
        assertThat(Arrays.stream(Split.permutation(100, 1)).sorted())
                .containsExactlyElementsOf(IntStream.range(0, 100).boxed().toList());
        assertThat(Split.permutation(0, 1)).isEmpty();
    }

    @Test
    void partsAreDisjointAndComplete() {
        Split split = Split.random(numbered(100), 15, 20, 7);
        assertThat(split.validation().size()).isEqualTo(15);
        assertThat(split.test().size()).isEqualTo(20);
        assertThat(Stream.of(split.train(), split.validation(), split.test())
                        .flatMapToInt(part -> Arrays.stream(numbers(part))))
                .hasSize(100)
                .doesNotHaveDuplicates();
        assertThat(numbers(split.train()))
                .isEqualTo(numbers(Split.random(numbered(100), 15, 20, 7).train()));
    }

    @Test
    void slicesFollowTime() {
        Split split = Split.slices(numbered(26), 8, 5);
        assertThat(numbers(split.train())).containsExactly(16, 17, 18);
        assertThat(numbers(split.validation())).containsExactly(19, 20, 21);
        assertThat(numbers(split.test())).containsExactly(22, 23, 24, 25);
        assertThat(numbers(Split.slices(numbered(3), 3, 0).test())).containsExactly(2);
    }

    @Test
    void refusesMoreThanThereIs() {
        assertThatThrownBy(() -> Split.random(numbered(10), 6, 5, 1))
                .hasMessage("validation and test images are taken from the 10 there are, got 6 and 5");
        assertThatThrownBy(() -> Split.slices(numbered(10), 8, 6))
                .hasMessage(
                        "three consecutive slices of at least one image each are needed, got 10 images in 8 slices, of"
                                + " them from 6 on");
    }
}
