/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.paritas.gpu.Device;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Launch;
import io.paritas.gpu.nn.CheckedWeights.Checks;
import io.paritas.gpu.nn.NetworkLaunches.Counted;
import io.paritas.gpu.nn.NetworkLaunches.GroupWeights;
import io.paritas.gpu.nn.NetworkLaunches.Operation;
import io.paritas.gpu.nn.NetworkLaunches.Target;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every kernel of network.cu, and products with windows of any kind, beside plain Java. */
@Tag("kernels")
class NetworkLaunchesTest {
    private static final int IMAGES = 2;

    private final Device device = new Device();
    private final Random random = new Random(Operands.SEED);

    @AfterEach
    void close() {
        device.close();
    }

    /** Windows that leave the image at every side, with gaps, and of different sides. */
    private static List<ImageWindow> windows() {
        return List.of(
                new ImageWindow(5, 7, 6, new ImageWindow.Axis(5, 3, 1, 1, 1), new ImageWindow.Axis(7, 3, 1, 1, 1)),
                new ImageWindow(9, 6, 4, new ImageWindow.Axis(4, 2, 2, 0, 3), new ImageWindow.Axis(2, 3, 4, 2, 2)),
                new ImageWindow(4, 5, 8, new ImageWindow.Axis(3, 3, 2, 2, 1), new ImageWindow.Axis(6, 1, 1, 1, 1)));
    }

    private static Offset<Float> tolerance(Precision precision) {
        return within(precision == Precision.HALF ? 0.02f : 1e-4f);
    }

    /** What a value of an image is, or that it is outside. */
    private interface Pixels {
        Optional<Float> at(int tap, int channel);
    }

    /** Computes a value of each place and column from what the window sees. */
    private interface Rule {
        double of(Pixels pixels, int column);
    }

    private static float[] slide(ImageWindow window, float[] images, int columns, Rule rule) {
        float[] all = new float[IMAGES * window.positions() * columns];
        for (int i = 0; i < all.length; i++) {
            int place = i / columns;
            int image = place / window.positions();
            int y = place / window.across().outputs() % window.down().outputs();
            int x = place % window.across().outputs();
            Pixels pixels = (tap, channel) -> {
                int row = y * window.down().stride()
                        - window.down().before()
                        + tap / window.across().taps() * window.down().dilation();
                int column = x * window.across().stride()
                        - window.across().before()
                        + tap % window.across().taps() * window.across().dilation();
                boolean inside = row >= 0 && row < window.height() && column >= 0 && column < window.width();
                int at = ((image * window.height() + row) * window.width() + column) * window.channels() + channel;
                return inside ? Optional.of(images[at]) : Optional.empty();
            };
            all[i] = (float) rule.of(pixels, i % columns);
        }
        return all;
    }

    private float[] values(Precision precision, int count) {
        return Operands.random(random, precision, count);
    }

    private float[] images(ImageWindow window, Precision precision) {
        return values(precision, IMAGES * window.height() * window.width() * window.channels());
    }

    private DeviceMemory upload(Precision precision, float[] values) {
        if (precision == Precision.SINGLE) {
            return Operands.upload(device, values);
        }
        byte[] bytes = new byte[2 * values.length];
        for (int i = 0; i < values.length; i++) {
            short half = Halves.of(values[i]);
            bytes[2 * i] = (byte) half;
            bytes[2 * i + 1] = (byte) (half >> 8);
        }
        return device.upload(bytes);
    }

    /** Runs a launch with float32 and, for halves, with float16 outputs, and returns the former. */
    private float[] run(Precision precision, int outputs, Function<Place, Launch> launch) {
        float[] floats = run(outputs, Precision.SINGLE, launch);
        float[] own = run(outputs, precision, launch);
        for (int i = 0; i < outputs; i++) {
            /* Boxed: NaN is equal to itself. */
            assertThat(Float.valueOf(own[i]))
                    .as("value %d as %s", i, precision)
                    .isEqualTo(Float.valueOf(precision.rounded(floats[i])));
        }
        return floats;
    }

    /** Where a launch writes. */
    private record Place(long output, Precision precision) {}

    private float[] run(int outputs, Precision precision, Function<Place, Launch> launch) {
        try (DeviceMemory output = device.allocate((long) outputs * precision.bytes())) {
            launch.apply(new Place(output.address(), precision)).enqueue(device.stream);
            byte[] bytes = device.download(output.address(), outputs * precision.bytes());
            if (precision == Precision.SINGLE) {
                return Operands.floats(bytes);
            }
            float[] values = new float[outputs];
            for (int i = 0; i < outputs; i++) {
                values[i] = Halves.toFloat((short) ((bytes[2 * i] & 0xff) | (bytes[2 * i + 1] << 8)));
            }
            return values;
        }
    }

    private static float function(Activation activation, double value) {
        double cut = Math.min(Math.max(value, activation.low()), activation.high());
        return (float)
                switch (activation.function()) {
                    case CLIP -> cut;
                    case SIGMOID -> 1 / (1 + Math.exp(-cut));
                    case TANH -> Math.tanh(cut);
                };
    }

    private static List<Activation> activations() {
        return List.of(
                Activation.NONE, Activation.RELU, Activation.clip(-0.5f, 1), Activation.SIGMOID, Activation.TANH);
    }

    @ParameterizedTest
    @EnumSource
    void productsSlideAddAndActivate(Precision precision) {
        int n = 5;
        int number = 0;
        for (Activation activation : activations()) {
            ImageWindow window = windows().get(number++ % windows().size());
            float[] images = images(window, precision);
            int depth = window.taps() * window.channels();
            float[] b = values(precision, depth * n);
            float[] bias = values(Precision.SINGLE, n);
            int places = IMAGES * window.positions();
            float[] addend = values(precision, places * n);
            float[] expected = slide(window, images, n, (pixels, column) -> {
                double sum = bias[column];
                for (int k = 0; k < depth; k++) {
                    float pixel = pixels.at(k / window.channels(), k % window.channels())
                            .orElse(0f);
                    sum += (double) pixel * b[k * n + column];
                }
                return sum;
            });
            for (int i = 0; i < expected.length; i++) {
                expected[i] = function(activation, expected[i] + addend[i]);
            }
            try (Weights weights = Operands.weights(precision, depth, n, b, bias);
                    CheckedWeights checked = new CheckedWeights(weights, Scheme.NONE);
                    DeviceMemory in = upload(precision, images);
                    DeviceMemory added = upload(precision, addend)) {
                float[] got = run(precision, places * n, place -> {
                    Target target = new Target(
                            in.address(), places, place.output, place.precision, added.address(), activation);
                    return NetworkLaunches.product(checked, Optional.of(window), target, 0, Checks.NONE, false)
                            .get(0);
                });
                assertThat(got)
                        .as("%s %s %s", precision, window, activation)
                        .containsExactly(expected, tolerance(precision));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void groupsAreApart(Precision precision) {
        for (ImageWindow window : windows()) {
            for (int groups : new int[] {2, window.channels()}) {
                int n = 2 * groups;
                int depth = window.channels() / groups;
                float[] images = images(window, precision);
                float[] b = values(precision, window.taps() * depth * n);
                float[] bias = values(Precision.SINGLE, n);
                float[] expected = slide(window, images, n, (pixels, column) -> {
                    double sum = bias[column];
                    for (int k = 0; k < window.taps() * depth; k++) {
                        int channel = column / (n / groups) * depth + k % depth;
                        sum += (double) pixels.at(k / depth, channel).orElse(0f) * b[k * n + column];
                    }
                    return Math.max(sum, 0);
                });
                int places = IMAGES * window.positions();
                try (DeviceMemory in = upload(precision, images);
                        DeviceMemory weights = upload(precision, b);
                        DeviceMemory biases = upload(Precision.SINGLE, bias)) {
                    GroupWeights all = new GroupWeights(precision, weights.address(), biases.address(), groups, n);
                    float[] got = run(
                            precision,
                            places * n,
                            place -> NetworkLaunches.groupedConvolution(
                                    all,
                                    window,
                                    new Target(
                                            in.address(), places, place.output, place.precision, 0, Activation.RELU)));
                    assertThat(got)
                            .as("%s %s, %d groups", precision, window, groups)
                            .containsExactly(expected, tolerance(precision));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void poolsSeeOnlyTheImage(Precision precision) {
        for (ImageWindow window : windows()) {
            float[] images = images(window, precision);
            images[3] = Float.NaN;
            int n = window.channels();
            int places = IMAGES * window.positions();
            float[] largest = slide(window, images, n, (pixels, column) -> {
                double most = Double.NEGATIVE_INFINITY;
                for (int tap = 0; tap < window.taps(); tap++) {
                    most = Math.max(most, pixels.at(tap, column).orElse(Float.NEGATIVE_INFINITY));
                }
                return most;
            });
            try (DeviceMemory in = upload(precision, images)) {
                assertThat(run(
                                precision,
                                places * n,
                                place -> NetworkLaunches.maxPool(precision, window, target(in, places, place))))
                        .containsExactly(largest);
                for (Counted counted : Counted.values()) {
                    float[] means = slide(window, images, n, (pixels, column) -> {
                        double sum = 0;
                        int count = 0;
                        for (int tap = 0; tap < window.taps(); tap++) {
                            sum += pixels.at(tap, column).orElse(0f);
                            count += counted == Counted.PADDING
                                            || pixels.at(tap, column).isPresent()
                                    ? 1
                                    : 0;
                        }
                        return sum / count;
                    });
                    assertThat(run(
                                    precision,
                                    places * n,
                                    place -> NetworkLaunches.meanPool(
                                            precision, window, counted, target(in, places, place))))
                            .containsExactly(means, within(1e-5f));
                }
            }
        }
    }

    private static Target target(DeviceMemory in, int rows, Place place) {
        return new Target(in.address(), rows, place.output, place.precision, 0, Activation.NONE);
    }

    @ParameterizedTest
    @EnumSource
    void softmaxIsOfALine(Precision precision) {
        for (int[] shape : new int[][] {{3, 10, 1}, {2, 70, 1}, {1, 1, 1}, {2, 5, 3}}) {
            int size = shape[1];
            int inner = shape[2];
            int lines = shape[0] * inner;
            float[] values = values(precision, lines * size);
            values[0] = 80;
            float[] expected = new float[values.length];
            for (int line = 0; line < lines; line++) {
                int start = line / inner * inner * size + line % inner;
                double sum = 0;
                for (int i = 0; i < size; i++) {
                    sum += Math.exp(values[start + i * inner]);
                }
                for (int i = 0; i < size; i++) {
                    expected[start + i * inner] = (float) (Math.exp(values[start + i * inner]) / sum);
                }
            }
            try (DeviceMemory in = upload(precision, values)) {
                assertThat(run(
                                precision,
                                values.length,
                                place -> NetworkLaunches.softmax(precision, size, inner, target(in, lines, place))))
                        .as("%s %s", precision, Arrays.toString(shape))
                        .containsExactly(expected, within(1e-6f));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void operandsAreRepeatedWhereTheirStrideIsZero(Precision precision) {
        int rows = 3;
        int[] sizes = {2, 5, 4};
        float[] left = values(precision, rows * 40);
        float[] right = values(precision, 5);
        for (Operation operation : Operation.values()) {
            for (Activation activation : activations()) {
                float[] expected = new float[left.length];
                for (int i = 0; i < left.length; i++) {
                    float other = right[i / 4 % 5];
                    float value =
                            switch (operation) {
                                case KEEP -> left[i];
                                case ADD -> left[i] + other;
                                case MULTIPLY -> left[i] * other;
                            };
                    expected[i] = function(activation, value);
                }
                try (DeviceMemory in = upload(precision, left);
                        DeviceMemory second = upload(precision, right)) {
                    NetworkLaunches.Operands operands = new NetworkLaunches.Operands(
                            operation, second.address(), sizes, new int[] {40, 20, 4, 1}, new int[] {0, 0, 1, 0});
                    assertThat(run(
                                    precision,
                                    left.length,
                                    place -> NetworkLaunches.combine(
                                            precision,
                                            operands,
                                            new Target(
                                                    in.address(), rows, place.output, place.precision, 0, activation))))
                            .as("%s %s %s", precision, operation, activation)
                            .containsExactly(expected, within(1e-6f));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void channelsMoveInAndOut(Precision precision) {
        int rows = 3;
        int channels = 5;
        int pixels = 7;
        float[] planes = values(precision, rows * channels * pixels);
        float[] inner = new float[planes.length];
        for (int i = 0; i < planes.length; i++) {
            int row = i / (channels * pixels);
            int channel = i / pixels % channels;
            inner[(row * pixels + i % pixels) * channels + channel] = planes[i];
        }
        try (DeviceMemory in = upload(precision, planes);
                DeviceMemory back = upload(precision, inner)) {
            assertThat(run(
                            precision,
                            planes.length,
                            place -> NetworkLaunches.arrange(
                                    precision, channels * pixels, 1, channels, target(in, rows, place))))
                    .containsExactly(inner);
            assertThat(run(
                            precision,
                            planes.length,
                            place -> NetworkLaunches.arrange(
                                    precision, channels * pixels, channels, 1, target(back, rows, place))))
                    .containsExactly(planes);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "HALF, HALF, 3, 8",
        "SINGLE, HALF, 3, 8",
        "SINGLE, HALF, 9, 16",
        "SINGLE, SINGLE, 3, 4",
        "SINGLE, SINGLE, 6, 8"
    })
    void imagesGetChannelsOfZeros(Precision from, Precision to, int channels, int stored) {
        int rows = 3;
        int pixels = 35;
        float[] planes = values(to, rows * channels * pixels);
        float[] inner = new float[planes.length];
        float[] wide = new float[rows * pixels * stored];
        for (int i = 0; i < planes.length; i++) {
            int row = i / (channels * pixels);
            int channel = i / pixels % channels;
            int pixel = i % pixels;
            inner[(row * pixels + pixel) * channels + channel] = planes[i];
            wide[(row * pixels + pixel) * stored + channel] = planes[i];
        }
        for (int innermost : new int[] {1, channels}) {
            try (DeviceMemory in = upload(from, innermost == 1 ? planes : inner)) {
                assertThat(run(
                                wide.length,
                                to,
                                place -> NetworkLaunches.widen(
                                        from, channels, innermost, stored, pixels, target(in, rows, place))))
                        .containsExactly(wide);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void partsGoToTheirPlaces(Precision precision) {
        float[] first = values(precision, 4 * 3);
        float[] second = values(precision, 4 * 2);
        float[] both = new float[4 * 5];
        for (int i = 0; i < both.length; i++) {
            both[i] = i % 5 < 3 ? first[i / 5 * 3 + i % 5] : second[i / 5 * 2 + i % 5 - 3];
        }
        try (DeviceMemory one = upload(precision, first);
                DeviceMemory two = upload(precision, second)) {
            assertThat(run(precision, both.length, place -> {
                        NetworkLaunches.spread(precision, 3, 5, 0, target(one, 4, place))
                                .enqueue(device.stream);
                        return NetworkLaunches.spread(precision, 2, 5, 3, target(two, 4, place));
                    }))
                    .containsExactly(both);
        }
    }
}
