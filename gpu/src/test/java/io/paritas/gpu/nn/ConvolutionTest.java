/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.gpu.Device;
import io.paritas.gpu.Launch;
import io.paritas.gpu.nn.CheckedWeights.Checks;
import io.paritas.gpu.nn.CheckedWeights.Place;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("kernels")
class ConvolutionTest {
    private final Device device = new Device();
    private final FaultBuffer faults = new FaultBuffer(device.stream);
    private final Random random = new Random(Operands.SEED);

    @AfterEach
    void close() {
        device.stream.synchronise();
        faults.close();
        device.close();
    }

    @ParameterizedTest
    @MethodSource("io.paritas.gpu.nn.Tiles#kernels")
    void cleanConvolutionsAreRightAndNotReported(Precision precision, Scheme scheme, Tile tile) {
        check(precision, scheme, tile, new ImageFilter(7, 6, 8, 3, 3, 1, 1), 2, Tiles.columns(tile, 75));
        check(precision, scheme, tile, new ImageFilter(9, 9, 3, 3, 3, 1, 1), 2, 5);
    }

    /* Channels that fill 16 bytes and that do not, filters that leave the image, strides that leave a rest. */
    static List<ImageFilter> filters() {
        return List.of(
                new ImageFilter(1, 1, 1, 1, 1, 1, 0),
                new ImageFilter(5, 9, 3, 3, 3, 2, 1),
                new ImageFilter(6, 6, 16, 1, 1, 1, 0),
                new ImageFilter(4, 11, 5, 2, 5, 3, 2),
                new ImageFilter(3, 3, 4, 5, 5, 1, 2));
    }

    @ParameterizedTest
    @MethodSource("filters")
    void everyShapeIsAProductOfWhatTheFilterSees(ImageFilter filter) {
        for (Precision precision : Precision.values()) {
            check(precision, Scheme.GLOBAL, Tile.SQUARE, filter, 3, 70);
            check(precision, Scheme.THREAD, Tile.SQUARE, filter, 2, 3);
        }
    }

    private void check(Precision precision, Scheme scheme, Tile tile, ImageFilter filter, int images, int n) {
        float[] values = Operands.random(random, precision, images * filter.imageSize());
        int k = filter.depth();
        int m = filter.rows(images);
        float[] b = Operands.random(random, precision, k * n);
        float[] bias = Operands.random(random, Precision.SINGLE, n);
        float[] a = patches(filter, values, m);
        try (Weights weights = Operands.weights(precision, k, n, b, bias);
                Convolution convolution = new TiledConvolution(filter, weights, scheme, tile);
                Activations in = Activations.dense(precision, images, filter.imageSize());
                Activations out = Activations.dense(Precision.SINGLE, m, n)) {
            Operands.write(device, in, values);
            faults.clear(device.stream);
            convolution.run(in, out, faults, device.stream);
            String what = "%s %s %s %s, seed %d".formatted(precision, scheme, tile, filter, Operands.SEED);
            assertThat(faults.read(device.stream)).as(what).isEqualTo(new CheckResult(0, 0, List.of()));
            float[] c = Operands.read(device, out);
            double units = ErrorBound.of(Scheme.NONE, precision, k, n).roundings() * 0x1p-24;
            for (int i = 0; i < m * n; i++) {
                Operands.Exact exact = Operands.product(a, b, m, n, k, i / n, i % n);
                assertThat(Math.abs(exact.value() + bias[i % n] - c[i]))
                        .as("%s: row %d, column %d", what, i / n, i % n)
                        .isLessThanOrEqualTo(units * (exact.absolute() + Math.abs(bias[i % n])));
            }
        }
    }

    private static final class TiledConvolution extends Convolution {
        private final Tile tile;

        TiledConvolution(ImageFilter filter, Weights weights, Scheme scheme, Tile tile) {
            super(filter, weights, scheme, Activation.NONE);
            this.tile = tile;
        }

        @Override
        List<Launch> launches(Place place, Checks checks, boolean measures) {
            return checked().launches(tile, 1, place, checks, measures);
        }
    }

    /** A, as it is never made. */
    static float[] patches(ImageFilter filter, float[] images, int rows) {
        float[] a = new float[rows * filter.depth()];
        int at = 0;
        for (int row = 0; row < rows; row++) {
            int places = filter.outputHeight() * filter.outputWidth();
            int image = row / places * filter.imageSize();
            int top = row % places / filter.outputWidth() * filter.stride() - filter.padding();
            int left = row % filter.outputWidth() * filter.stride() - filter.padding();
            for (int y = top; y < top + filter.filterHeight(); y++) {
                for (int x = left; x < left + filter.filterWidth(); x++) {
                    boolean inside = y >= 0 && y < filter.height() && x >= 0 && x < filter.width();
                    for (int c = 0; c < filter.channels(); c++) {
                        int from = image + (y * filter.width() + x) * filter.channels() + c;
                        a[at++] = inside ? images[from] : 0;
                    }
                }
            }
        }
        return a;
    }

    @ParameterizedTest
    @MethodSource("io.paritas.gpu.nn.GemmTest#schemes")
    void outputsAreImagesAgain(Precision precision, Scheme scheme) {
        ImageFilter filter = new ImageFilter(5, 4, 3, 3, 3, 1, 1);
        int images = 4;
        int channels = 6;
        int n = 10;
        int m = filter.rows(images);
        int k = m / images * channels;
        float[] values = Operands.random(random, precision, images * filter.imageSize());
        float[] b = Operands.random(random, precision, k * n);
        try (Weights first = Operands.weights(
                        precision,
                        filter.depth(),
                        channels,
                        Operands.random(random, precision, filter.depth() * channels),
                        new float[channels]);
                Weights second = Operands.weights(precision, k, n, b, new float[n]);
                Convolution convolution = new Convolution(filter, first, scheme, Activation.RELU);
                Gemm gemm = new Gemm(second, scheme, Activation.NONE);
                Activations in = Activations.dense(precision, images, filter.imageSize());
                Activations middle = Activations.dense(precision, m, channels);
                Activations rows = middle.reshaped(images, k);
                Activations out = Activations.dense(Precision.SINGLE, images, n)) {
            Operands.write(device, in, values);
            convolution.run(in, middle, faults, device.stream);
            gemm.run(rows, out, faults, device.stream);
            assertThat(faults.read(device.stream)).isEqualTo(new CheckResult(0, 0, List.of()));
            float[] a = Operands.read(device, middle);
            float[] c = Operands.read(device, out);
            double units = ErrorBound.of(Scheme.NONE, precision, k, n).roundings() * 0x1p-24;
            for (int i = 0; i < c.length; i++) {
                Operands.Exact exact = Operands.product(a, b, images, n, k, i / n, i % n);
                assertThat(Math.abs(exact.value() - c[i])).isLessThanOrEqualTo(units * exact.absolute());
            }
        }
    }

    @Test
    void refusesWhatDoesNotFit() {
        ImageFilter filter = new ImageFilter(4, 4, 2, 3, 3, 1, 0);
        assertThat(filter.rows(5)).isEqualTo(20);
        assertThatThrownBy(() -> new ImageFilter(4, 4, 2, 3, 3, 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a convolution must have sizes and a stride of at least 1 and a padding of at least"
                        + " 0, got images of 4 x 4 x 2, a filter of 3 x 3, stride 0 and padding 0");
        assertThatThrownBy(() -> new ImageFilter(4, 4, 2, 5, 3, 1, 0))
                .hasMessage("a filter must not be larger than the image with its padding, got 5 x 3 for 4 x 4 and"
                        + " padding 0");
        try (Weights weights = Operands.weights(Precision.SINGLE, 17, 2, new float[34], new float[2]);
                Weights fitting = Operands.weights(Precision.SINGLE, 18, 2, new float[36], new float[2]);
                Convolution convolution = new Convolution(filter, fitting, Scheme.NONE, Activation.RELU);
                Activations images = Activations.aligned(Precision.SINGLE, 1, 31)) {
            assertThatThrownBy(() -> new Convolution(filter, weights, Scheme.NONE, Activation.RELU))
                    .hasMessage("the filter " + filter + " needs 18 weights for each output channel, got 17");
            assertThatThrownBy(() -> images.reshaped(31, 1))
                    .hasMessage("only values without gaps can be reshaped, to as many values, got 1 x 31, 32"
                            + " apart, for 31 x 1");
            assertThatThrownBy(() -> convolution.run(images, images, faults, device.stream))
                    .hasMessage("images for the filter " + filter + " must have 32 values of the precision"
                            + " single, without gaps, got 31 of single, 32 apart");
        }
    }
}
