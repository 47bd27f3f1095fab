/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class GemmTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_122L);
    private static final List<Tiles> TILES = List.of(new PlainTiles(), TileChoice.current());

    static Stream<Arguments> schemes() {
        return TILES.stream().flatMap(tiles -> Stream.of(Scheme.values()).map(scheme -> Arguments.of(tiles, scheme)));
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void isTheProductOfDoublesAndNeverFiresOnCleanOnes(Tiles tiles, Scheme scheme) {
        Random random = new Random(SEED);
        for (int turn = 0; turn < 40; turn++) {
            Sample sample = Sample.random(random, tiles);
            Findings findings = sample.run(scheme, Probe.NONE);
            assertThat(findings.faults())
                    .as("%s, seed %d, turn %d", sample, SEED, turn)
                    .isZero();
            assertThat(findings.unchecked()).isZero();
            assertThat(findings.checks() > 0).isEqualTo(scheme != Scheme.NONE);
            sample.requireProduct("seed " + SEED + ", turn " + turn);
        }
    }

    /** A part's distance is at most its bound; a value off by more than twice the bound must be found, whatever it is. */
    @ParameterizedTest
    @MethodSource("schemes")
    void everyFlipAboveTwiceTheBoundIsFound(Tiles tiles, Scheme scheme) {
        if (scheme == Scheme.NONE) {
            return;
        }
        Random random = new Random(SEED);
        int above = 0;
        for (int turn = 0; turn < 30; turn++) {
            Sample sample = Sample.random(random, tiles);
            for (int bit = 0; bit < 32; bit++) {
                Flip flip = new Flip(random.nextInt(sample.m()), random.nextInt(sample.n()), bit);
                Findings findings = sample.run(scheme, flip);
                if (flip.change() > 2 * flip.tolerance() || Double.isNaN(flip.change())) {
                    above++;
                    assertThat(findings.faults())
                            .as("%s of %s by %g above %g, seed %d", flip, sample, flip.change(), flip.tolerance(), SEED)
                            .isEqualTo(1);
                }
            }
        }
        assertThat(above).isGreaterThan(30 * 8);
    }

    @ParameterizedTest
    @EnumSource(
            value = Scheme.class,
            names = {"GLOBAL", "THREAD", "TWO_SIDED", "WEIGHTED", "REPLICATION"})
    void aWrongChecksumIsFound(Scheme scheme) {
        Sample sample = Sample.of(new Random(SEED), TileChoice.current(), 30, 40, 70, 1);
        Findings findings = sample.run(scheme, new Probe() {
            @Override
            public double checksum(int row, int column, double difference) {
                return row == 0 && column == 0 ? difference + 100 : difference;
            }
        });
        assertThat(findings.faults()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void threadsComputeTheSame(Tiles tiles, Scheme scheme) throws Exception {
        ExecutorService helpers = Executors.newFixedThreadPool(2);
        try {
            for (int m : new int[] {1, 6, 7, 13, 100, 200, 301}) {
                Sample sample = Sample.of(new Random(SEED), tiles, m, 37, 300, 1);
                Findings alone = sample.run(scheme, Probe.NONE);
                float[] expected = sample.c().clone();
                Findings together =
                        sample.gemm().run(sample.activations(), sample.target(), scheme, Probe.NONE, 3, helpers);
                assertThat(sample.c()).as("%d rows", m).containsExactly(expected);
                assertThat(together.faults()).isZero();
                if (scheme != Scheme.GLOBAL) { // whose blocks are smaller then
                    assertThat(together).isEqualTo(alone);
                }
            }
        } finally {
            helpers.shutdown();
        }
    }

    /** They write into buffers that the next batch gets. */
    @Test
    void whereAShareFailsTheOthersAreWaitedFor() throws Exception {
        ExecutorService helpers = Executors.newFixedThreadPool(1);
        CountDownLatch goingOn = new CountDownLatch(1);
        Probe probe = new Probe() {
            @Override
            public void computed(float[] c, int at, int stride, int row, int rows, int column, int columns) {
                if (row == 0) {
                    throw new IllegalStateException("no memory");
                }
                join(goingOn);
            }
        };
        Sample sample = Sample.of(new Random(SEED), TileChoice.current(), 50, 20, 30, 1);
        FutureTask<Findings> product = new FutureTask<>(
                () -> sample.gemm().run(sample.activations(), sample.target(), Scheme.THREAD, probe, 2, helpers));
        Thread caller = new Thread(product, "caller");
        try {
            caller.start();
            while (caller.isAlive() && caller.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            assertThat(product).isNotDone();
        } finally {
            goingOn.countDown();
            helpers.shutdown();
        }
        assertThatThrownBy(product::get).hasRootCauseMessage("no memory");
    }

    /** Spark ends an executor for it. */
    @Test
    void anErrorOfAHelperIsThrownAsItIs() {
        ExecutorService helpers = Executors.newFixedThreadPool(1);
        OutOfMemoryError error = new OutOfMemoryError("thrown on purpose by this test");
        Probe probe = new Probe() {
            @Override
            public void computed(float[] c, int at, int stride, int row, int rows, int column, int columns) {
                if (row > 0) {
                    throw error;
                }
            }
        };
        Sample sample = Sample.of(new Random(SEED), TileChoice.current(), 50, 20, 30, 1);
        try {
            assertThatThrownBy(() ->
                            sample.gemm().run(sample.activations(), sample.target(), Scheme.THREAD, probe, 2, helpers))
                    .isSameAs(error);
        } finally {
            helpers.shutdown();
        }
    }

    /** An error says that this JVM is not sound, and an exception that a product has failed. */
    @Test
    void anErrorThatComesLaterIsThrownInsteadOfAnException() {
        ExecutorService helpers = Executors.newFixedThreadPool(2);
        OutOfMemoryError error = new OutOfMemoryError("thrown on purpose by this test");
        OutOfMemoryError another = new OutOfMemoryError("thrown on purpose, too");
        IllegalStateException first = new IllegalStateException("a helper is late");
        Probe probe = new Probe() {
            @Override
            public void computed(float[] c, int at, int stride, int row, int rows, int column, int columns) {
                if (row == 0) {
                    throw first;
                }
                throw row < 30 ? error : another;
            }
        };
        Sample sample = Sample.of(new Random(SEED), TileChoice.current(), 60, 20, 30, 1);
        try {
            assertThatThrownBy(() ->
                            sample.gemm().run(sample.activations(), sample.target(), Scheme.THREAD, probe, 3, helpers))
                    .isSameAs(error)
                    .satisfies(thrown -> assertThat(thrown.getSuppressed()).containsExactly(first, another));
        } finally {
            helpers.shutdown();
        }
    }

    private static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whoGetsNoHelperComputesAlone() {
        ExecutorService helpers = Executors.newFixedThreadPool(2, work -> {
            throw new OutOfMemoryError("unable to create native thread: thrown on purpose by this test");
        });
        Sample sample = Sample.of(new Random(SEED), TileChoice.current(), 50, 20, 30, 1);
        sample.gemm().run(sample.activations(), sample.target(), Scheme.THREAD, Probe.NONE, 3, helpers);
        sample.requireProduct("without helpers");
        helpers.shutdown();
    }

    @Test
    void aFaultInAnyShareIsToldByItsPlaceInTheWhole() {
        ExecutorService helpers = Executors.newFixedThreadPool(1);
        try {
            Sample sample = Sample.of(new Random(SEED), TileChoice.current(), 50, 20, 30, 1);
            Flip flip = new Flip(43, 17, 30);
            Findings findings =
                    sample.gemm().run(sample.activations(), sample.target(), Scheme.THREAD, flip, 2, helpers);
            assertThat(findings.faults()).isEqualTo(1);
            assertThat(flip.tolerance()).isPositive();
        } finally {
            helpers.shutdown();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Scheme.class,
            names = {"GLOBAL", "THREAD", "TWO_SIDED", "WEIGHTED", "REPLICATION"})
    void valuesOfAnySizeAreChecked(Scheme scheme) {
        for (float scale : new float[] {1e-40f, 1e-30f, 1e-20f, 1e-3f, 1, 1e10f, 1e18f}) {
            Sample sample = Sample.of(new Random(SEED), TileChoice.current(), 12, 33, 65, scale);
            assertThat(sample.run(scheme, Probe.NONE)).as("scale %g", scale).satisfies(findings -> {
                assertThat(findings.faults()).isZero();
                assertThat(findings.unchecked()).isZero();
            });
            if (scale >= 1e-30f) {
                Flip flip = new Flip(3, 4, 30);
                assertThat(sample.run(scheme, flip).faults())
                        .as("scale %g", scale)
                        .isEqualTo(1);
            }
        }
    }

    @Test
    void subnormalWeightsCountAsZero() {
        float[] b = {Float.MIN_VALUE, -Float.MIN_NORMAL + Float.MIN_VALUE, Float.MIN_NORMAL, -Float.MIN_NORMAL};
        Gemm gemm = new Gemm(Weights.pack(1, b.length, (row, column) -> b[column], new float[b.length]));
        float[] c = new float[b.length];
        Activations a = Activations.of(new float[] {0x1p100f}, 1, 1);
        assertThat(gemm.run(a, new Gemm.Target(c, 0, b.length), Scheme.GLOBAL, Probe.NONE)
                        .faults())
                .isZero();
        assertThat(c).containsExactly(0, 0, 0x1p-26f, -0x1p-26f);
    }

    @Test
    void whatIsNotFiniteGoingInIsSaidToBeUnchecked() {
        Sample sample = Sample.of(new Random(SEED), TileChoice.current(), 12, 20, 30, 1);
        sample.a()[3] = Float.NaN;
        assertThat(sample.run(Scheme.THREAD, Probe.NONE)).satisfies(findings -> {
            assertThat(findings.faults()).isZero();
            assertThat(findings.unchecked()).isPositive();
            assertThat(findings.checks()).isPositive();
        });
    }

    @Test
    void aFaultThatMakesAValueInfiniteOrNoNumberIsFound() {
        for (float wrong : new float[] {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY}) {
            Sample sample = Sample.of(new Random(SEED), TileChoice.current(), 20, 20, 30, 1);
            Probe probe = new Probe() {
                @Override
                public void computed(float[] c, int at, int stride, int row, int rows, int column, int columns) {
                    if (row == 6 && column == 0) {
                        c[at + 2 * stride + 5] = wrong;
                    }
                }
            };
            for (Scheme scheme : Scheme.values()) {
                assertThat(sample.run(scheme, probe).faults())
                        .as("%s, %s", scheme, wrong)
                        .isEqualTo(scheme == Scheme.NONE ? 0 : 1);
            }
        }
    }

    /** One is a usual mark of a value that is missing. Sums with it are beyond float32, and all of C is not. */
    @ParameterizedTest
    @MethodSource("schemes")
    void sumsThatOverflowWhereValuesDoNotAreNoFaults(Tiles tiles, Scheme scheme) {
        Random random = new Random(SEED);
        int n = 40;
        int k = 64;
        Gemm small = gemm(tiles, k, n, () -> 0.15f * random.nextFloat());
        Gemm large = gemm(tiles, k, n, () -> 1e37f + 1e37f * random.nextFloat());
        float[] marked = values(24 * k, () -> random.nextFloat());
        marked[70] = -Float.MAX_VALUE;
        float[] huge = values(24 * k, () -> 1e38f);
        float[] tiny = values(24 * k, () -> 1e-3f);
        for (Findings findings : List.of(
                run(small, marked, scheme, Probe.NONE),
                run(gemm(tiles, k, n, () -> 1e-3f), huge, scheme, Probe.NONE),
                run(large, tiny, scheme, Probe.NONE))) {
            assertThat(findings.faults()).as("%s", findings).isZero();
        }
        Probe infinite = new Probe() {
            @Override
            public void computed(float[] c, int at, int stride, int row, int rows, int column, int columns) {
                if (row == 6 && column == 0) {
                    c[at] = Float.POSITIVE_INFINITY;
                }
            }
        };
        assertThat(run(small, marked, scheme, infinite).faults()).isEqualTo(scheme == Scheme.NONE ? 0 : 1);
    }

    private interface Values {
        float next();
    }

    private static float[] values(int count, Values values) {
        float[] all = new float[count];
        for (int i = 0; i < count; i++) {
            all[i] = values.next();
        }
        return all;
    }

    private static Gemm gemm(Tiles tiles, int k, int n, Values values) {
        float[] b = values(k * n, values);
        return new Gemm(Weights.pack(tiles, k, n, (row, column) -> b[row * n + column], new float[n]));
    }

    private static Findings run(Gemm gemm, float[] a, Scheme scheme, Probe probe) {
        int n = gemm.weights().columns();
        int k = gemm.weights().depth();
        float[] c = new float[a.length / k * n];
        Findings findings = gemm.run(Activations.of(a, a.length / k, k), new Gemm.Target(c, 0, n), scheme, probe);
        if (probe == Probe.NONE) {
            for (float value : c) {
                assertThat(value).isFinite();
            }
        }
        return findings;
    }

    /** A depthwise convolution has a product for each channel. */
    @Test
    void manyProductsShareTheirMemory() {
        Gemm[] gemms = new Gemm[1000];
        Tiles tiles = new PlainTiles(); // vectors that are not compiled yet are objects, which would count
        Arrays.setAll(gemms, i -> gemm(tiles, 9, 1, () -> 1));
        Gemm.Target c = new Gemm.Target(new float[49], 0, 1);
        Activations a = Activations.of(new float[49 * 9], 49, 9);
        var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = thread.getCurrentThreadAllocatedBytes();
        for (Gemm gemm : gemms) {
            assertThat(gemm.run(a, c, Scheme.GLOBAL, Probe.NONE).faults()).isZero();
        }
        assertThat(thread.getCurrentThreadAllocatedBytes() - before).isLessThan(40 << 20);
    }

    /** The multiplications of the checks, counted where they are made, are those of the formula (thesis, table 4.1). */
    @Test
    void checksCostWhatTheSchemeSays() {
        Random random = new Random(SEED);
        for (int turn = 0; turn < 20; turn++) {
            CountingTiles tiles = new CountingTiles(new PlainTiles());
            Sample sample = Sample.random(random, tiles);
            for (Scheme scheme :
                    List.of(Scheme.NONE, Scheme.GLOBAL, Scheme.THREAD, Scheme.TWO_SIDED, Scheme.WEIGHTED)) {
                tiles.reset();
                sample.run(scheme, Probe.NONE);
                assertThat(tiles.checksumOperations())
                        .as("%s of %s", scheme, sample)
                        .isEqualTo(scheme.redundantOperations(
                                sample.m(), sample.n(), sample.k(), 2 * tiles.lanes(), Gemm.BLOCK_ROWS));
                assertThat(tiles.replicatedOperations()).isZero();
            }
            tiles.reset();
            sample.run(Scheme.REPLICATION, Probe.NONE);
            assertThat(tiles.replicatedOperations()).isEqualTo(tiles.operations());
            assertThat(tiles.checksumOperations()).isZero();
        }
    }

    @Test
    void noFalseAlarmAndNoFlipMissedInManyProducts() {
        for (Tiles tiles : TILES) {
            CleanGemms.Counted counted = CleanGemms.run(1000, SEED, tiles);
            assertThat(counted.falseAlarms()).as("%s, seed %d", counted, SEED).isZero();
            assertThat(counted.missed()).as("%s, seed %d", counted, SEED).isZero();
            assertThat(counted.above()).isGreaterThan(250);
            assertThat(counted.closest())
                    .as("a bound that is never near is none")
                    .isGreaterThan(0.01);
        }
    }

    /** Of every two places of a tile, the tiles at the edges among them; of some where the depth has two steps. */
    @ParameterizedTest
    @MethodSource("tiles")
    void anyTwoFaultsThatCancelAreFoundByWeightedSums(Tiles tiles) {
        for (int k : new int[] {20, 300}) {
            Sample sample = Sample.of(new Random(SEED), tiles, Tiles.ROWS + 2, 2 * tiles.lanes() + 3, k, 1);
            TwoFlips clean = new TwoFlips(0, 0, 0, 0, 0, 0);
            assertThat(sample.run(Scheme.WEIGHTED, clean).faults()).isZero();
            float by = (float) (1.01 * clean.bound(2 * tiles.lanes()));
            assertThat(by).isPositive();
            Random random = new Random(SEED);
            for (int one = 0; one < sample.m() * sample.n(); one++) {
                for (int other = 0; other < one; other++) {
                    float less = random.nextBoolean() ? by : by * (2 * random.nextFloat() - 1);
                    TwoFlips flips = new TwoFlips(
                            one / sample.n(), one % sample.n(), other / sample.n(), other % sample.n(), by, -less);
                    boolean wanted = k == 20 || random.nextInt(16) == 0;
                    if (wanted && flips.sameTile(2 * tiles.lanes())) {
                        assertThat(sample.run(Scheme.WEIGHTED, flips).faults())
                                .as("%s of %s by %g and %g", flips, sample, by, -less)
                                .isEqualTo(1);
                    }
                }
            }
            TwoFlips cancelling = new TwoFlips(1, 2, 3, 4, by, -by);
            assertThat(sample.run(Scheme.TWO_SIDED, cancelling).faults())
                    .as("a plain sum does not see them")
                    .isZero();
        }
    }

    static Stream<Tiles> tiles() {
        return TILES.stream();
    }

    /** Adds to two values of C; and collects the bounds, the first of three of each tile that of the plain sum. */
    private static final class TwoFlips implements Probe {
        private final int[] rows;
        private final int[] columns;
        private final float[] by;
        private double plain;
        private double weighted;
        private int seen;

        TwoFlips(int row, int column, int otherRow, int otherColumn, float by, float byOther) {
            this.rows = new int[] {row, otherRow};
            this.columns = new int[] {column, otherColumn};
            this.by = new float[] {by, byOther};
        }

        boolean sameTile(int width) {
            return rows[0] / Tiles.ROWS == rows[1] / Tiles.ROWS && columns[0] / width == columns[1] / width;
        }

        /** Two values must be found if one of them is off by more: docs/protection.md. */
        double bound(int width) {
            return 2 * (weighted + (width - 1) * plain);
        }

        @Override
        public void computed(float[] c, int at, int stride, int row, int count, int column, int columnCount) {
            for (int i = 0; i < 2; i++) {
                int r = rows[i] - row;
                int n = columns[i] - column;
                if (r >= 0 && r < count && n >= 0 && n < columnCount) {
                    c[at + r * stride + n] += by[i];
                }
            }
        }

        @Override
        public void compared(int row, int column, double distance, double tolerance) {
            if (seen++ % 3 == 0) {
                plain = Math.max(plain, tolerance);
            } else {
                weighted = Math.max(weighted, tolerance);
            }
        }

        @Override
        public String toString() {
            return "two faults at " + rows[0] + ", " + columns[0] + " and " + rows[1] + ", " + columns[1];
        }
    }

    @Test
    void refusesBiasesThatDoNotFit() {
        assertThatThrownBy(() -> Weights.pack(3, 4, (k, n) -> 0, new float[3]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a matrix needs rows, columns and a bias for each column, got 3 x 4 and 3 biases");
    }

    @Test
    void schemesHaveNames() {
        List<Scheme> named = new ArrayList<>();
        for (Scheme scheme : Scheme.values()) {
            named.add(Scheme.named(scheme.toString()));
        }
        assertThat(named).containsExactly(Scheme.values());
        assertThatThrownBy(() -> Scheme.named("parity"))
                .hasMessage(
                        "a scheme is one of none, global, thread, two-sided, weighted, replication, duplication; got 'parity'");
    }
}
