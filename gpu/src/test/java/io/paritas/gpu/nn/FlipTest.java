/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.gpu.CudaStream;
import io.paritas.gpu.Device;
import io.paritas.gpu.Gpu;
import io.paritas.gpu.Launch;
import io.paritas.gpu.nn.CheckedWeights.Checks;
import io.paritas.gpu.nn.CheckedWeights.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A bit of a register is flipped while a product or a convolution is computed: who notices? */
@Tag("kernels")
class FlipTest {
    /** More of them with {@code -Dio.paritas.test.flips=N}. */
    private static final int FLIPS = Integer.getInteger("io.paritas.test.flips", 24);

    private static final int M = 70;
    private static final int N = 80;
    private static final int K = 48;

    private final Device device = new Device();
    private final FaultBuffer faults = new FaultBuffer(device.stream);
    private final Random random = new Random(Operands.SEED);

    @AfterEach
    void close() {
        device.stream.synchronise();
        faults.close();
        device.close();
    }

    /** Two images with a place for each of the rows. */
    private static final ImageFilter FILTER = new ImageFilter(5, 7, 5, 3, 3, 1, 1);

    /** How a flip is told: the struct {@code BitFlip} of flips.cuh. */
    private static final int FLIP_SIZE = 7;

    /** No block of threads has this number. */
    private static final int[] NO_FLIP = {-1, 0, 0, 0, 0, 0, 0};

    private static final class SpoiledGemm extends Gemm {
        private final Tile tile;
        private final int slices;
        private final int[] flip;

        SpoiledGemm(Weights weights, Scheme scheme, Tile tile, int slices, int[] flip) {
            super(weights, scheme, Activation.NONE);
            this.tile = tile;
            this.slices = slices;
            this.flip = flip;
        }

        @Override
        List<Launch> launches(Place place, Checks checks, boolean measures) {
            return spoiled("flips", checked().launches(tile, slices, place, checks, measures), flip);
        }
    }

    private static final class SpoiledConvolution extends Convolution {
        private final Tile tile;
        private final int slices;
        private final int[] flip;

        SpoiledConvolution(Weights weights, Scheme scheme, Tile tile, int slices, int[] flip) {
            super(FILTER, weights, scheme, Activation.NONE);
            this.tile = tile;
            this.slices = slices;
            this.flip = flip;
        }

        @Override
        List<Launch> launches(Place place, Checks checks, boolean measures) {
            return spoiled("convolution_flips", checked().launches(tile, slices, place, checks, measures), flip);
        }
    }

    /** The same launches, but that the product has a flip in between. */
    private static List<Launch> spoiled(String module, List<Launch> clean, int[] flip) {
        return clean.stream()
                .map(launch -> launch.arguments().contains(0f) ? spoiled(module, launch, flip) : launch)
                .toList();
    }

    private static Launch spoiled(String module, Launch product, int[] flip) {
        List<Object> arguments = new ArrayList<>(product.arguments());
        arguments.add(flip);
        return new Launch(Gpu.get().module(module).function("flip_" + product.function()), product.shape(), arguments);
    }

    /** {@link Gemm#run} or {@link Convolution#run}. */
    private interface Run {
        void run(Activations in, Activations out, FaultBuffer faults, CudaStream stream);
    }

    /** The schemes in the usual tile; in the others, which share the code of the checks, those whose places are others. */
    static Stream<Arguments> checks() {
        return Tiles.kernels()
                .filter(arguments -> {
                    Scheme scheme = (Scheme) arguments.get()[1];
                    return switch ((Tile) arguments.get()[2]) {
                        case SQUARE -> scheme != Scheme.NONE;
                        case NARROW -> scheme == Scheme.THREAD;
                        case TALL -> scheme == Scheme.GLOBAL || scheme == Scheme.THREAD || scheme == Scheme.TWO_SIDED;
                        case WIDE -> scheme == Scheme.GLOBAL;
                        case WARPGROUP_WIDE, WARPGROUP_TALL -> false; // its sums cannot be touched on their way
                    };
                })
                .flatMap(Tiles::slices);
    }

    @ParameterizedTest
    @MethodSource("checks")
    void flipsInProductsBeyondTheBoundAreFound(Precision precision, Scheme scheme, Tile tile, int slices) {
        int n = Tiles.columns(tile, N);
        int[] flip = new int[FLIP_SIZE];
        float[] a = Operands.random(random, precision, M * K);
        try (Weights weights = weights(precision, K, n);
                Gemm clean = new SpoiledGemm(weights, scheme, tile, slices, NO_FLIP);
                Gemm spoiled = new SpoiledGemm(weights, scheme, tile, slices, flip);
                Activations in = Activations.aligned(precision, M, K)) {
            Operands.write(device, in, a);
            check(weights, scheme, tile, a, in, clean::run, spoiled::run, flip);
        }
    }

    @ParameterizedTest
    @MethodSource("checks")
    void flipsInConvolutionsBeyondTheBoundAreFound(Precision precision, Scheme scheme, Tile tile, int slices) {
        int n = Tiles.columns(tile, N);
        int[] flip = new int[FLIP_SIZE];
        float[] images = Operands.random(random, precision, 2 * FILTER.imageSize());
        try (Weights weights = weights(precision, FILTER.depth(), n);
                Convolution clean = new SpoiledConvolution(weights, scheme, tile, slices, NO_FLIP);
                Convolution spoiled = new SpoiledConvolution(weights, scheme, tile, slices, flip);
                Activations in = Activations.dense(precision, 2, FILTER.imageSize())) {
            Operands.write(device, in, images);
            float[] a = ConvolutionTest.patches(FILTER, images, M);
            check(weights, scheme, tile, a, in, clean::run, spoiled::run, flip);
        }
    }

    private Weights weights(Precision precision, int k, int n) {
        return Operands.weights(precision, k, n, Operands.random(random, precision, k * n), new float[n]);
    }

    /** @param a as a matrix */
    private void check(
            Weights weights, Scheme scheme, Tile tile, float[] a, Activations in, Run clean, Run spoiled, int[] flip) {
        Precision precision = weights.precision();
        int n = weights.columns();
        try (Activations out = Activations.dense(Precision.SINGLE, M, n)) {
            faults.clear(device.stream);
            clean.run(in, out, faults, device.stream);
            assertThat(faults.read(device.stream).isClean()).isTrue();
            float[] expected = Operands.read(device, out);
            int beyond = 0;
            int found = 0;
            for (int i = 0; i < FLIPS; i++) {
                flip(flip, weights, tile);
                faults.clear(device.stream);
                spoiled.run(in, out, faults, device.stream);
                CheckResult result = faults.read(device.stream);
                int changed = changed(expected, Operands.read(device, out));
                String what = "%s %s %s, flip %s, seed %d"
                        .formatted(precision, scheme, tile, Arrays.toString(flip), Operands.SEED);
                found += result.faults();
                if (changed >= 0) {
                    assertThat(flip[4]).as(what).isZero();
                    double tolerance = tolerance(scheme, weights, a, changed / n, changed % n);
                    double change = Math.abs((double) expected[changed] - Operands.read(device, out)[changed]);
                    if (!(change <= 2 * tolerance)) {
                        beyond++;
                        assertThat(result.faults())
                                .as("%s: changed by %g, tolerance %g", what, change, tolerance)
                                .isOne();
                        check(
                                result.reports().get(0),
                                what,
                                scheme,
                                precision,
                                changed / n,
                                changed % n,
                                change,
                                tolerance);
                    }
                }
            }
            assertThat(beyond).as("flips of C that must be found").isPositive();
            assertThat(found).isGreaterThanOrEqualTo(beyond);
        }
    }

    /** A block, a thread, a step, C or a check in 3 of 4, which register, and a bit. */
    private void flip(int[] flip, Weights weights, Tile tile) {
        Precision precision = weights.precision();
        flip[0] = random.nextInt(8) / 7; // the last block is nearly empty
        flip[1] = random.nextInt(4) / 3;
        flip[2] = random.nextInt(tile == Tile.SQUARE ? 128 : 72); // rows of the others are beyond C
        int ofAStep = precision == Precision.HALF ? 16 : 8;
        flip[3] = random.nextInt((weights.depth() + ofAStep - 1) / ofAStep);
        flip[4] = random.nextInt(4) == 0 ? 1 : 0;
        flip[5] = random.nextInt(32);
        flip[6] = 31 - random.nextInt(random.nextBoolean() ? 12 : 32);
    }

    /** The only value that is another one; -1 if none is. */
    private static int changed(float[] before, float[] after) {
        int changed = -1;
        for (int i = 0; i < before.length; i++) {
            if (Float.floatToRawIntBits(before[i]) != Float.floatToRawIntBits(after[i])) {
                assertThat(changed).as("a second value, %d", i).isEqualTo(-1);
                changed = i;
            }
        }
        return changed;
    }

    /** As ErrorBound says, from what is known here. */
    private static double tolerance(Scheme scheme, Weights weights, float[] a, int row, int column) {
        if (!scheme.needsNorms()) {
            return 0;
        }
        float[] bounds = weights.bounds(scheme);
        int group = column / Weights.BLOCK * Weights.GROUPS + group(weights.precision(), column % Weights.BLOCK);
        double norm = 0;
        for (int r = 0; r < M; r++) {
            norm += summed(scheme, weights.precision(), r, row) ? norm(a, weights.depth(), r) : 0;
        }
        return norm * bounds[scheme == Scheme.GLOBAL ? bounds.length - 1 : group];
    }

    private static int group(Precision precision, int column) {
        return precision == Precision.HALF ? column / 32 * 8 + column % 8 : column / 4;
    }

    /** Whether a check sums both rows. */
    private static boolean summed(Scheme scheme, Precision precision, int row, int other) {
        return switch (scheme) {
            case GLOBAL -> row / Weights.BLOCK == other / Weights.BLOCK;
            case TWO_SIDED, REPLICATION ->
                precision == Precision.HALF ? row / 32 == other / 32 && row % 16 == other % 16 : row / 8 == other / 8;
            default -> row == other;
        };
    }

    private static double norm(float[] a, int depth, int row) {
        double squares = 0;
        for (int k = 0; k < depth; k++) {
            squares += (double) a[row * depth + k] * a[row * depth + k];
        }
        return Math.sqrt(squares);
    }

    private static void check(
            CheckResult.Fault report,
            String what,
            Scheme scheme,
            Precision precision,
            int row,
            int column,
            double change,
            double tolerance) {
        assertThat(summed(scheme, precision, report.row(), row)).as(what).isTrue();
        if (scheme == Scheme.GLOBAL) {
            assertThat(report.column()).as(what).isZero();
        } else {
            assertThat(report.column() / Weights.BLOCK).as(what).isEqualTo(column / Weights.BLOCK);
            assertThat(group(precision, report.column() % Weights.BLOCK))
                    .as(what)
                    .isEqualTo(group(precision, column % Weights.BLOCK));
        }
        if (scheme.needsNorms()) {
            assertThat((double) report.tolerance()).as(what).isCloseTo(tolerance, Percentage.withPercentage(0.1));
            if (change < 1e30) {
                assertThat((double) Math.abs(report.difference()))
                        .as(what)
                        .isCloseTo(change, Offset.offset(2 * tolerance + 1e-5 * change));
            }
        } else {
            assertThat(report.difference()).as(what).isNaN();
        }
    }
}
