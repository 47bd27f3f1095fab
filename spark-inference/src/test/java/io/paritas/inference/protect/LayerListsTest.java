/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.protect.LayerLists.Layer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LayerListsTest {
    /** Operations per byte of float16 from which on the thesis' GPU (T4) computes and no longer waits for memory. */
    private static final double RATIO = 203;

    private static int padded(int size) {
        return (size + 7) / 8 * 8;
    }

    /** Sizes are padded to the 8 values that matrix units take at once. */
    private static Layer padded(Layer layer) {
        return new Layer(layer.list(), padded(layer.m()), padded(layer.n()), padded(layer.k()));
    }

    /** The thesis' aggregate intensities, layers, and layers below the ratio; the last two of DLRM and NoScope are ours. */
    @ParameterizedTest
    @CsvSource({
        "dlrm-bottom-1, 7.4, 3, 3",
        "dlrm-bottom-256, 70.0, 3, 3",
        "dlrm-bottom-4096, 94.1, 3, 3",
        "dlrm-top-1, 7.7, 3, 3",
        "dlrm-top-256, 109.8, 3, 3",
        "dlrm-top-4096, 183.6, 3, 2",
        "noscope-coral, 15.1, 4, 4",
        "noscope-roundabout, 37.9, 6, 6",
        "noscope-taipei, 51.9, 4, 4",
        "noscope-amsterdam, 52.7, 4, 4",
        "squeezenet-hd, 71.1, 26, 25",
        "squeezenet-224, 64.2, 26, 26",
        "shufflenet-hd, 76.6, 57, 56",
        "shufflenet-224, 46.0, 57, 57",
        "densenet161-hd, 79.0, 161, 159",
        "densenet161-224, 62.1, 161, 161",
        "resnet50-hd, 122.0, 54, 37",
        "resnet50-224, 72.0, 54, 54",
        "alexnet-hd, 125.5, 8, 5",
        "alexnet-224, 17.5, 8, 8",
        "vgg16-hd, 155.5, 16, 7",
        "vgg16-224, 69.9, 16, 11",
        "wide-resnet50-hd, 220.8, 54, 21",
        "wide-resnet50-224, 98.7, 54, 54"
    })
    void areThoseOfTheThesis(String list, double intensity, int count, int below) {
        List<Layer> layers =
                LayerLists.of(list).stream().map(LayerListsTest::padded).toList();
        double operations = layers.stream().mapToDouble(Layer::operations).sum();
        double bytes = 2 * layers.stream().mapToDouble(Layer::elements).sum();
        assertThat(operations / bytes).isCloseTo(intensity, within(0.051));
        assertThat(layers).hasSize(count);
        assertThat(layers.stream().filter(layer -> layer.intensity(2) < RATIO)).hasSize(below);
    }

    @Test
    void everyNameHasAList() {
        assertThat(LayerLists.names()).hasSize(32).allSatisfy(name -> assertThat(LayerLists.of(name))
                .isNotEmpty());
        assertThatThrownBy(() -> LayerLists.of("resnet51-hd"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(", got 'resnet51-hd'");
    }
}
