/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.gpu.Device;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.Launch;
import io.paritas.gpu.nn.CheckedWeights.Checks;
import io.paritas.gpu.nn.CheckedWeights.Place;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("kernels")
class GemmTest {
    /** More of them with {@code -Dio.paritas.test.products=N}. */
    private static final int PRODUCTS = Integer.getInteger("io.paritas.test.products", 9);

    private final Device device = new Device();
    private final FaultBuffer faults = new FaultBuffer(device.stream);

    @AfterEach
    void close() {
        device.stream.synchronise();
        faults.close();
        device.close();
    }

    static Stream<Arguments> schemes() {
        return Arrays.stream(Precision.values()).flatMap(precision -> Arrays.stream(Scheme.values())
                .filter(scheme -> scheme.supports(precision))
                .map(scheme -> Arguments.of(precision, scheme)));
    }

    /* Rounding is never taken for a fault, whatever the sizes, and what is computed is the product. */
    @ParameterizedTest
    @MethodSource("io.paritas.gpu.nn.Tiles#kernels")
    void cleanProductsAreRightAndNotReported(Precision precision, Scheme scheme, Tile tile) {
        Random random = new Random(Operands.SEED);
        int[][] sizes = {{1, 1, 1}, {64, 64, 16}, {65, 63, 17}, {130, 70, 40}, {129, 200, 100}, {140, 270, 300}};
        for (int i = 0; i < PRODUCTS; i++) {
            int[] size = i < sizes.length
                    ? sizes[i]
                    : new int[] {1 + random.nextInt(100), 1 + random.nextInt(100), 1 + random.nextInt(150)};
            check(random, precision, scheme, tile, 1, size[0], Tiles.columns(tile, size[1]), size[2]);
        }
    }

    /* Runs one behind another: the second one finds the counters as the first one did. */
    @ParameterizedTest
    @MethodSource("schemes")
    void slicesOfTheDepthAreAddedUp(Precision precision, Scheme scheme) {
        Random random = new Random(Operands.SEED);
        check(random, precision, scheme, Tile.SQUARE, 2, 1, 1, 64);
        check(random, precision, scheme, Tile.SQUARE, 3, 65, 130, 100);
        check(random, precision, scheme, Tile.SQUARE, 7, 70, 63, 500);
        check(random, precision, scheme, Tile.SQUARE, SplitK.MOST, 20, 70, 513);
    }

    private void check(Random random, Precision precision, Scheme scheme, Tile tile, int slices, int m, int n, int k) {
        float[] a = Operands.random(random, precision, m * k);
        float[] b = Operands.random(random, precision, k * n);
        float[] bias = Operands.random(random, Precision.SINGLE, n);
        try (Weights weights = Operands.weights(precision, k, n, b, bias);
                Gemm gemm = new TiledGemm(weights, scheme, tile, slices);
                Activations in =
                        k % 2 == 0 ? Activations.aligned(precision, m, k) : Activations.dense(precision, m, k);
                Activations out = Activations.dense(Precision.SINGLE, m, n)) {
            Operands.write(device, in, a);
            faults.clear(device.stream);
            gemm.run(in, out, faults, device.stream);
            String what = "%s %s %s in %d slices, %d x %d x %d, seed %d"
                    .formatted(precision, scheme, tile, slices, m, n, k, Operands.SEED);
            assertThat(faults.read(device.stream)).as(what).isEqualTo(new CheckResult(0, 0, List.of()));
            float[] c = Operands.read(device, out);
            double units = ErrorBound.of(Scheme.NONE, precision, k, n).roundings() * 0x1p-24;
            for (int i = 0; i < m * n; i++) {
                Operands.Exact exact = Operands.product(a, b, m, n, k, i / n, i % n);
                double error = Math.abs(exact.value() + bias[i % n] - c[i]);
                assertThat(error)
                        .as("%s: row %d, column %d", what, i / n, i % n)
                        .isLessThanOrEqualTo(units * (exact.absolute() + Math.abs(bias[i % n])));
            }
        }
    }

    private static final class TiledGemm extends Gemm {
        private final Tile tile;
        private final int slices;

        TiledGemm(Weights weights, Scheme scheme, Tile tile, int slices) {
            super(weights, scheme, Activation.NONE);
            this.tile = tile;
            this.slices = slices;
        }

        @Override
        List<Launch> launches(Place place, Checks checks, boolean measures) {
            return checked().launches(tile, slices, place, checks, measures);
        }
    }

    @ParameterizedTest
    @MethodSource("io.paritas.gpu.nn.Tiles#kernels")
    void everyTileComputesTheSameBitsAndMeasures(Precision precision, Scheme scheme, Tile tile) {
        compare(
                new Product(precision, scheme, 150, Tiles.columns(tile, 140), 72),
                weights -> new TiledGemm(weights, scheme, Tile.SQUARE, 1),
                weights -> new TiledGemm(weights, scheme, tile, 1));
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void slicesHaveTheSameBitsEachTimeAndMeasure(Precision precision, Scheme scheme) {
        Function<Weights, Gemm> inSlices = weights -> new TiledGemm(weights, scheme, Tile.SQUARE, 5);
        compare(new Product(precision, scheme, 70, 140, 300), inSlices, inSlices);
    }

    private record Product(Precision precision, Scheme scheme, int m, int n, int k) {}

    /** Two ways to compute a product give the same bits, and the second one measures them. */
    private void compare(Product of, Function<Weights, Gemm> one, Function<Weights, Gemm> other) {
        Random random = new Random(Operands.SEED);
        float[] values = Operands.random(random, of.precision, of.m * of.k);
        float[] b = Operands.random(random, of.precision, of.k * of.n);
        try (Weights weights = Operands.weights(of.precision, of.k, of.n, b, new float[of.n]);
                Gemm usual = one.apply(weights);
                Gemm unusual = other.apply(weights);
                Activations in = Activations.aligned(of.precision, of.m, of.k);
                Activations expected = Activations.aligned(of.precision, of.m, of.n);
                Activations out = Activations.aligned(of.precision, of.m, of.n)) {
            Operands.write(device, in, values);
            usual.run(in, expected, faults, device.stream);
            unusual.run(in, out, faults, device.stream);
            assertThat(faults.read(device.stream)).isEqualTo(new CheckResult(0, 0, List.of()));
            float[] c = Operands.read(device, out);
            assertThat(c).isEqualTo(Operands.read(device, expected));
            if (of.scheme.needsNorms()) {
                checkMeasures(out, c);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void layersFollowEachOther(Precision precision, Scheme scheme) {
        Random random = new Random(Operands.SEED);
        int m = 70;
        int[] widths = {13, 100, 66};
        float[] values = Operands.random(random, precision, m * widths[0]);
        try (Activations in = Activations.aligned(precision, m, widths[0]);
                Activations middle = Activations.aligned(precision, m, widths[1]);
                Activations out = Activations.aligned(precision, m, widths[2])) {
            Operands.write(device, in, values);
            run(random, precision, scheme, in, middle);
            float[] hidden = Operands.read(device, middle);
            assertThat(hidden).doesNotContain(Float.NaN).contains(0f);
            for (float value : hidden) {
                assertThat(value).isNotNegative();
            }
            assertThat(middle.isMeasured(scheme)).isTrue();
            if (scheme == Scheme.GLOBAL) {
                checkMeasures(middle, hidden);
            }
            run(random, precision, scheme, middle, out);
        }
    }

    private void run(Random random, Precision precision, Scheme scheme, Activations in, Activations out) {
        int k = in.columns();
        int n = out.columns();
        float[] b = Operands.random(random, precision, k * n);
        try (Weights weights = Operands.weights(precision, k, n, b, Operands.random(random, precision, n));
                Gemm gemm = new Gemm(weights, scheme, Activation.RELU)) {
            faults.clear(device.stream);
            gemm.run(in, out, faults, device.stream);
            assertThat(faults.read(device.stream).faults())
                    .as("%s %s, seed %d", precision, scheme, Operands.SEED)
                    .isZero();
        }
    }

    /** The squares that the product left for the next one. */
    private void checkMeasures(Activations matrix, float[] values) {
        int columns = matrix.columns();
        float[] squares =
                Operands.floats(device.download(matrix.squares(), matrix.parts() * matrix.rows() * Float.BYTES));
        double[] expectedSquares = new double[squares.length];
        for (int i = 0; i < values.length; i++) {
            int row = i / columns;
            int column = i % columns;
            expectedSquares[column / Weights.BLOCK * matrix.rows() + row] += (double) values[i] * values[i];
        }
        for (int i = 0; i < squares.length; i++) {
            assertThat((double) squares[i])
                    .as("square %d", i)
                    .isCloseTo(expectedSquares[i], Offset.offset(1e-5 * (1 + expectedSquares[i])));
        }
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void whatIsNotFiniteIsUncheckedAndNoFault(Precision precision, Scheme scheme) {
        int size = 20;
        float[] a = new float[size * size];
        Arrays.fill(a, 1);
        a[7 * size + 3] = Float.NaN;
        try (Weights weights = Operands.weights(precision, size, size, filled(size * size, 1), new float[size]);
                Gemm gemm = new Gemm(weights, scheme, Activation.RELU);
                Activations in = Activations.aligned(precision, size, size);
                Activations out = Activations.aligned(precision, size, size)) {
            Operands.write(device, in, a);
            gemm.run(in, out, faults, device.stream);
            CheckResult result = faults.read(device.stream);
            assertThat(result.faults()).isZero();
            assertThat(result.unchecked() > 0).isEqualTo(scheme.needsNorms());
            float[] c = Operands.read(device, out);
            assertThat(c[7 * size]).isNaN();
            assertThat(c[8 * size]).isEqualTo(size);
        }
    }

    /* All values alike: whatever is cut off adds up, and the norms' product is the sum of the products. */
    @ParameterizedTest
    @MethodSource("schemes")
    void roundingThatAddsUpIsNoFault(Precision precision, Scheme scheme) {
        int m = 20;
        int n = 12;
        int k = 1200;
        for (float value : new float[] {1.333f, 1.999f}) {
            try (Weights weights = Operands.weights(precision, k, n, filled(k * n, value), new float[n]);
                    Gemm gemm = new Gemm(weights, scheme, Activation.NONE);
                    Activations in = Activations.aligned(precision, m, k);
                    Activations out = Activations.aligned(Precision.SINGLE, m, n)) {
                Operands.write(device, in, filled(m * k, precision.rounded(value)));
                gemm.run(in, out, faults, device.stream);
                assertThat(faults.read(device.stream))
                        .as("%s %s of %s", precision, scheme, value)
                        .isEqualTo(new CheckResult(0, 0, List.of()));
            }
        }
    }

    /* Squares of such values vanish, and so do products of them. */
    @ParameterizedTest
    @EnumSource(
            value = Scheme.class,
            names = {"THREAD_HALF"},
            mode = EnumSource.Mode.EXCLUDE)
    void tinyValuesAreNoFaults(Scheme scheme) {
        Random random = new Random(Operands.SEED);
        int size = 40;
        float[] a = Operands.random(random, Precision.SINGLE, size * size);
        float[] b = Operands.random(random, Precision.SINGLE, size * size);
        for (int i = 0; i < a.length; i++) {
            a[i] *= 1e-23f;
            b[i] *= 1e-20f;
        }
        try (Weights weights = Operands.weights(Precision.SINGLE, size, size, b, new float[size]);
                Gemm gemm = new Gemm(weights, scheme, Activation.NONE);
                Activations in = Activations.aligned(Precision.SINGLE, size, size);
                Activations out = Activations.aligned(Precision.SINGLE, size, size)) {
            Operands.write(device, in, a);
            gemm.run(in, out, faults, device.stream);
            assertThat(faults.read(device.stream)).isEqualTo(new CheckResult(0, 0, List.of()));
        }
    }

    @Test
    void aVerdictTakesWhatManyProductsFind() {
        int size = 8;
        try (Weights weights = Operands.weights(Precision.HALF, size, size, filled(size * size, 1), new float[size]);
                Gemm gemm = new Gemm(weights, Scheme.THREAD, Activation.NONE);
                Activations in = Activations.aligned(Precision.HALF, size, size);
                Activations out = Activations.aligned(Precision.HALF, size, size)) {
            Operands.write(device, in, filled(size * size, Float.POSITIVE_INFINITY));
            gemm.run(in, out, faults, device.stream);
            gemm.run(in, out, faults, device.stream);
            int both = faults.read(device.stream).unchecked();
            faults.clear(device.stream);
            gemm.run(in, out, faults, device.stream);
            assertThat(both)
                    .isPositive()
                    .isEqualTo(2 * faults.read(device.stream).unchecked());
        }
    }

    @Test
    void refusesWhatDoesNotFit() {
        try (Weights weights = Operands.weights(Precision.HALF, 3, 2, filled(6, 30_000), new float[2]);
                Weights single = Operands.weights(Precision.SINGLE, 3, 2, new float[6], new float[2]);
                Gemm gemm = new Gemm(weights, Scheme.GLOBAL, Activation.NONE);
                Activations narrow = Activations.dense(Precision.HALF, 5, 2);
                Activations in = Activations.dense(Precision.HALF, 5, 3)) {
            assertThatThrownBy(() -> new Weights(Precision.HALF, 3, 2, (k, n) -> 0, new float[3]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a matrix must have rows, columns and a bias for each column, got 3 x 2 and 3 biases");
            assertThatThrownBy(() -> new Gemm(single, Scheme.THREAD_HALF, Activation.NONE))
                    .hasMessage("the scheme thread-half needs the precision half: for single use thread");
            try (Weights large = Operands.weights(Precision.HALF, 1, 64, filled(64, 60_000), new float[64])) {
                assertThatThrownBy(() -> new Gemm(large, Scheme.THREAD, Activation.NONE))
                        .hasMessage("the scheme thread adds 4 weights in float16, whose sum must be at most"
                                + " 65504, got 240000.0: use global, replication or duplication");
            }
            assertThatThrownBy(() -> gemm.run(narrow, narrow, faults, device.stream))
                    .hasMessage("A must have 3 columns of the precision half, got 2 of half");
            assertThatThrownBy(() -> gemm.run(in, in, faults, device.stream))
                    .hasMessage("the output must be 5 x 2, got 5 x 3");
            assertThatThrownBy(() -> Activations.dense(Precision.HALF, 0, 3))
                    .hasMessage("a matrix must have rows and columns, got 0 x 3");
            assertThatThrownBy(() -> Scheme.named("twice"))
                    .hasMessage("a scheme must be one of none, global, thread-half, thread, two-sided, replication,"
                            + " duplication, got 'twice'");
            assertThat(Scheme.named("two-sided")).isEqualTo(Scheme.TWO_SIDED);
        }
    }

    private static float[] filled(int count, float value) {
        float[] values = new float[count];
        Arrays.fill(values, value);
        return values;
    }

    /* Where another library has a value, it is read and written; 4 bytes behind a multiple of 16 as well. */
    /** Large models are loaded by every executor: sums that only checks need would be two more passes. */
    @Test
    void weightsWithoutChecksAreReadOnce() {
        AtomicInteger reads = new AtomicInteger();
        Weights.Entries entries = (k, n) -> {
            reads.incrementAndGet();
            return k;
        };
        for (Precision precision : Precision.values()) {
            reads.set(0);
            try (Weights weights = new Weights(precision, 70, 90, entries, new float[90], false);
                    CheckedWeights unchecked = new CheckedWeights(weights, Scheme.NONE)) {
                assertThat(reads).hasValue(70 * 90);
                assertThat(unchecked.weights().rowSums()).isZero();
                assertThatThrownBy(() -> new CheckedWeights(weights, Scheme.GLOBAL))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("the weights were packed for products without checks, global was asked for");
            }
        }
    }

    @Test
    void valuesOfOtherLibrariesStayWhereTheyAre() {
        float[] a = {1, 2, 3, 4, 5, 6};
        float[] b = {1, -1, 2, 0, 3, 5};
        try (DeviceMemory before = Operands.upload(device, new float[] {9, 1, 2, 3, 4, 5, 6});
                DeviceMemory after = device.allocate(5 * Float.BYTES);
                Weights weights = Operands.weights(Precision.SINGLE, 3, 2, b, new float[2]);
                Gemm gemm = new Gemm(weights, Scheme.THREAD, Activation.NONE);
                Activations input = Activations.of(before.address() + Float.BYTES, Precision.SINGLE, 2, 3);
                Activations output = Activations.of(after.address() + Float.BYTES, Precision.SINGLE, 2, 2)) {
            gemm.run(input, output, faults, device.stream);
            assertThat(faults.read(device.stream).isClean()).isTrue();
            assertThat(Operands.read(device, input)).isEqualTo(a);
            assertThat(Operands.read(device, output)).containsExactly(14, 14, 32, 26);
        }
        assertThatThrownBy(() -> Activations.of(2, Precision.SINGLE, 2, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a matrix must have rows, columns and an address that is a multiple of the bytes of a"
                        + " value, got 2 x 3 of single at 0x2");
    }
}
