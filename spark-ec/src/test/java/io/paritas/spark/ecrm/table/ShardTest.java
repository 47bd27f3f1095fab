/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.erasure.GaloisField;
import io.paritas.spark.ecrm.placement.StripePlacement;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ShardTest {
    private static final int WIDTH = 3;
    private static final int ROWS = 41;
    private static final int SERVERS = 6;

    static Stream<Optimizer> optimizers() {
        return Stream.of(
                new Optimizer.Sgd(0.1f),
                new Optimizer.Momentum(0.1f, 0.9f),
                new Optimizer.Adagrad(0.1f, 1e-6f),
                new Optimizer.Adam(0.01f, 0.9f, 0.999f, 1e-8f));
    }

    /** All servers of a small table. */
    private static final class Cluster {
        final ModelSpec model;
        final StripePlacement placement;
        final RowCode code;
        final List<Shard> shards = new ArrayList<>();

        Cluster(Parity parity, int k, Optimizer optimizer) {
            this(Redundancy.coded(k).parity(parity), optimizer);
        }

        Cluster(Redundancy redundancy, Optimizer optimizer) {
            model = new ModelSpec(
                    SERVERS,
                    redundancy,
                    List.of(new TableSpec(ROWS, WIDTH, optimizer, new Initializer(7, -1, 1))),
                    List.of());
            placement = model.stripes();
            code = RowCode.of(model);
            for (int server = 0; server < SERVERS; server++) {
                shards.add(Shard.of(model, 0, server, InitialState.initial(model)));
            }
        }

        void update(long row, float[] gradient) {
            long stripe = placement.stripe(row);
            int unit = placement.unit(row);
            Shard owner = shards.get(placement.owner(row));
            int[] delta = new int[model.tables().get(0).words()];
            owner.difference(stripe, unit, gradient, 0, delta, 0);
            owner.add(stripe, unit, unit, delta, 0);
            for (int parity = placement.k(); parity < placement.units(); parity++) {
                shards.get(placement.server(stripe, parity)).add(stripe, parity, unit, delta, 0);
            }
        }

        void updates(int count) {
            Random random = new Random(5);
            for (int update = 0; update < count; update++) {
                update(random.nextInt(ROWS), new float[] {random.nextFloat(), -random.nextFloat(), 1e-3f});
            }
        }

        int[][] units(long stripe) {
            int[][] units = new int[placement.units()][];
            for (int unit = 0; unit < units.length; unit++) {
                units[unit] = shards.get(placement.server(stripe, unit)).newest(stripe, unit);
            }
            return units;
        }
    }

    /** A server makes one for each row of each push. */
    @Test
    void anUpdateAllocatesNoArrays() {
        int width = 1000;
        ModelSpec model = new ModelSpec(
                1,
                Redundancy.none(),
                List.of(new TableSpec(10, width, new Optimizer.Adagrad(0.1f, 1e-6f), new Initializer(7, -1, 1))),
                List.of());
        Shard shard = Shard.of(model, 0, 0, InitialState.initial(model));
        float[] gradient = new float[width];
        shard.update(0, 0, gradient, 0);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int update = 0; update < 100; update++) {
            shard.update(0, 0, gradient, 0);
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100 * width);
    }

    @ParameterizedTest
    @MethodSource("optimizers")
    void everyUnitIsDecodedFromTheOthersBitForBit(Optimizer optimizer) {
        for (int k = 1; k <= 4; k++) {
            Cluster cluster = new Cluster(Parity.XOR, k, optimizer);
            for (int round = 0; round < 3; round++) {
                for (long stripe = 0; stripe < cluster.shards.get(0).stripes(); stripe++) {
                    int[][] units = cluster.units(stripe);
                    for (int unit = 0; unit <= k; unit++) {
                        int[] lost = units[unit];
                        units[unit] = null;
                        assertThat(cluster.code.decode(unit, units)).contains(lost);
                        units[unit] = lost;
                    }
                }
                cluster.updates(60);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("optimizers")
    void anyTwoUnitsAreDecodedFromTheOthersBitForBit(Optimizer optimizer) {
        for (int k = 1; k <= 4; k++) {
            Cluster cluster = new Cluster(Redundancy.coded(k, 2), optimizer);
            for (int round = 0; round < 4; round++) {
                for (long stripe = 0; stripe < cluster.shards.get(0).stripes(); stripe++) {
                    int[][] units = cluster.units(stripe);
                    for (int unit = 0; unit < k + 2; unit++) {
                        for (int other = 0; other < k + 2; other++) {
                            int[][] rest = units.clone();
                            rest[unit] = null;
                            rest[other] = null;
                            assertThat(cluster.code.decode(unit, rest))
                                    .as("unit %d without %d, k = %d", unit, other, k)
                                    .contains(units[unit]);
                        }
                    }
                }
                if (round == 1) {
                    cluster.shards.forEach(shard -> shard.freeze(2, 7));
                } else if (round == 2) {
                    cluster.shards.forEach(Shard::thaw);
                }
                cluster.updates(60);
            }
        }
    }

    @Test
    void twoUnitsOfDifferentTimesAreNotDecoded() {
        Cluster cluster = new Cluster(Redundancy.coded(3, 2), new Optimizer.Sgd(1));
        int[][] before = cluster.units(0);
        cluster.update(1, new float[] {1, 1, 1});
        int[][] after = cluster.units(0);
        assertThat(cluster.code.decode(0, new int[][] {null, null, after[2], after[3], before[4]}))
                .isEmpty();
        assertThat(cluster.code.decode(1, new int[][] {null, null, after[2], after[3], before[4]}))
                .isEmpty();
        assertThat(cluster.code.decode(2, new int[][] {null, after[1], null, after[3], before[4]}))
                .isEmpty();
        assertThat(cluster.code.decode(4, new int[][] {null, before[1], before[2], after[3], null}))
                .isEmpty();
        assertThat(cluster.code.decode(1, new int[][] {null, null, before[2], before[3], before[4]}))
                .contains(before[1]);
        assertThat(cluster.code.decode(1, new int[][] {null, null, after[2], after[3], after[4]}))
                .contains(after[1]);
    }

    @Test
    void wordsAreMultipliedByteByByte() {
        Random random = new Random(3);
        for (int factor = 1; factor < 256; factor++) {
            int[] words = random.ints(37).toArray();
            int[] product = words.clone();
            FieldWords.multiply(product, factor, new int[37]);
            for (int i = 0; i < words.length; i++) {
                for (int at = 0; at < 32; at += 8) {
                    assertThat(product[i] >>> at & 0xff)
                            .isEqualTo(GaloisField.bytes().multiply(words[i] >>> at & 0xff, factor));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("optimizers")
    void sumsAreOffByRoundingOnly(Optimizer optimizer) {
        Cluster cluster = new Cluster(Parity.SUM, 4, optimizer);
        int updates = 400;
        cluster.updates(updates);
        for (long stripe = 0; stripe < cluster.shards.get(0).stripes(); stripe++) {
            int[][] units = cluster.units(stripe);
            float[] sum = new float[units[0].length - 1];
            float largest = 1;
            for (int unit = 0; unit < 4; unit++) {
                assertThat(units[4][unit]).isEqualTo(units[unit][0]);
                for (int i = 0; i < sum.length; i++) {
                    float value = Float.intBitsToFloat(units[unit][1 + i]);
                    sum[i] += value;
                    largest = Math.max(largest, Math.abs(value));
                }
            }
            for (int i = 0; i < sum.length; i++) {
                assertThat(Float.intBitsToFloat(units[4][4 + i]))
                        .isCloseTo(sum[i], within((updates + 4) * Math.ulp(1f) * 4 * largest));
            }
        }
    }

    /** Rows with many updates beside one with none: its squares are 0, and off by rounding when they are decoded. */
    @ParameterizedTest
    @MethodSource("optimizers")
    void aRowThatIsDecodedFromASumCanBeUpdated(Optimizer optimizer) {
        Cluster cluster = new Cluster(Parity.SUM, 4, optimizer);
        Random random = new Random(6);
        for (int update = 0; update < 1000; update++) {
            int row = random.nextInt(ROWS);
            if (row % 4 != 1) {
                cluster.update(row, new float[] {random.nextFloat(), 10 * random.nextFloat(), 1e-3f});
            }
        }
        int negative = 0;
        for (int row = 1; row < ROWS; row += 4) {
            long stripe = cluster.placement.stripe(row);
            int[][] rest = cluster.units(stripe);
            rest[1] = null;
            int[] decoded = cluster.code.decode(1, rest).orElseThrow();
            Shard replacement = Shard.empty(cluster.model, 0, cluster.placement.owner(row));
            replacement.recover(stripe, 1, decoded);
            int[] delta = new int[decoded.length - 1];
            replacement.difference(stripe, 1, new float[WIDTH], 0, delta, 0);
            replacement.add(stripe, 1, 1, delta, 0);
            int[] updated = replacement.newest(stripe, 1);
            for (int i = 1; i < updated.length; i++) {
                negative += i > WIDTH && Float.intBitsToFloat(decoded[i]) < 0 ? 1 : 0;
                assertThat(Float.intBitsToFloat(updated[i]))
                        .as("number %d of row %d", i - 1, row)
                        .isFinite();
            }
        }
        if (optimizer instanceof Optimizer.Adagrad || optimizer instanceof Optimizer.Adam) {
            assertThat(negative).isPositive();
        }
    }

    /** 2^40 is the greatest gradient that a worker pushes. */
    @ParameterizedTest
    @MethodSource("optimizers")
    void sumsOfTheGreatestGradientsAreFinite(Optimizer optimizer) {
        Cluster cluster = new Cluster(Parity.SUM, 4, optimizer);
        for (int update = 0; update < 1000; update++) {
            cluster.update(update % 2, new float[] {0x1p40f, -0x1p40f, update % 3 == 0 ? 0x1p40f : 0});
        }
        int[][] units = cluster.units(0);
        for (int unit = 0; unit <= 4; unit++) {
            int[] lost = units[unit];
            units[unit] = null;
            int[] decoded = cluster.code.decode(unit, units).orElseThrow();
            for (int i = cluster.code.header(unit); i < decoded.length; i++) {
                assertThat(Float.intBitsToFloat(decoded[i])).isFinite();
            }
            units[unit] = lost;
        }
    }

    @Test
    void unitsOfDifferentTimesAreNotDecoded() {
        Cluster cluster = new Cluster(Parity.XOR, 2, new Optimizer.Sgd(1));
        int[][] before = cluster.units(0);
        cluster.update(1, new float[] {1, 1, 1});
        int[][] after = cluster.units(0);
        assertThat(cluster.code.decode(0, new int[][] {null, before[1], after[2]}))
                .isEmpty();
        assertThat(cluster.code.decode(0, new int[][] {null, after[1], before[2]}))
                .isEmpty();
        assertThat(cluster.code.decode(0, new int[][] {null, before[1], before[2]}))
                .contains(before[0]);
        assertThat(cluster.code.decode(0, new int[][] {null, after[1], after[2]}))
                .contains(before[0]);
    }

    /** A difference changes nothing, so that it may be dropped. */
    @Test
    void differencesAreOnlyStaged() {
        Cluster cluster = new Cluster(Parity.XOR, 2, new Optimizer.Momentum(1, 0.5f));
        int[][] before = cluster.units(0);
        cluster.shards
                .get(cluster.placement.owner(0))
                .difference(0, 0, new float[] {1, 2, 3}, 0, new int[2 * WIDTH], 0);
        assertThat(cluster.units(0)).isDeepEqualTo(before);
    }

    /** With one phase a row is updated at once, with two in two steps. Sums are rounded the same way in both. */
    @ParameterizedTest
    @EnumSource(Parity.class)
    void anUpdateAtOnceIsADifferenceThatIsAdded(Parity parity) {
        Cluster staged = new Cluster(parity, 2, new Optimizer.Momentum(0.1f, 0.9f));
        Cluster atOnce = new Cluster(parity, 2, new Optimizer.Momentum(0.1f, 0.9f));
        Random random = new Random(9);
        for (int update = 0; update < 300; update++) {
            int row = random.nextInt(ROWS);
            float[] gradient = {random.nextFloat(), 1e10f * random.nextFloat(), -random.nextFloat()};
            staged.update(row, gradient);
            long stripe = atOnce.placement.stripe(row);
            int[] delta = new int[3 + 2 * WIDTH];
            Shard owner = atOnce.shards.get(atOnce.placement.owner(row));
            Shard other = atOnce.shards.get(atOnce.placement.server(stripe, 2));
            if (update == 100) {
                atOnce.shards.forEach(shard -> shard.freeze(0, 7));
            }
            owner.update(stripe, atOnce.placement.unit(row), gradient, 0, delta, 3);
            other.add(stripe, 2, atOnce.placement.unit(row), delta, 3);
        }
        atOnce.shards.forEach(Shard::thaw);
        for (long stripe = 0; stripe < staged.shards.get(0).stripes(); stripe++) {
            assertThat(atOnce.units(stripe)).isDeepEqualTo(staged.units(stripe));
        }
    }

    @Test
    void frozenUnitsStayAndReadersSeeTheBuffer() {
        Cluster cluster = new Cluster(Parity.XOR, 2, new Optimizer.Momentum(1, 0.5f));
        Cluster other = new Cluster(Parity.XOR, 2, new Optimizer.Momentum(1, 0.5f));
        int[][] before = cluster.units(0);
        cluster.shards.forEach(shard -> shard.freeze(0, 3));
        cluster.updates(50);
        other.updates(50);
        long buffered = 0;
        for (int unit = 0; unit <= 2; unit++) {
            Shard shard = cluster.shards.get(cluster.placement.server(0, unit));
            assertThat(shard.frozen(0, unit)).isEqualTo(before[unit]);
            assertThat(shard.newest(0, unit)).isEqualTo(other.units(0)[unit]);
            buffered = Math.max(buffered, shard.buffered());
        }
        assertThat(buffered).isBetween(1L, 3L);
        cluster.shards.forEach(Shard::thaw);
        for (long stripe = 0; stripe < cluster.shards.get(0).stripes(); stripe++) {
            assertThat(cluster.units(stripe)).isDeepEqualTo(other.units(stripe));
        }
        assertThat(cluster.shards)
                .allSatisfy(shard -> assertThat(shard.buffered()).isZero());
    }

    @Test
    void missingUnitsAreCounted() {
        ModelSpec model = new Cluster(Parity.XOR, 2, new Optimizer.Sgd(1)).model;
        Shard shard = Shard.empty(model, 0, 1);
        Shard full = Shard.of(model, 0, 1, InitialState.initial(model));
        long missing = shard.missing();
        assertThat(missing).isPositive();
        assertThat(full.missing()).isZero();
        for (long stripe = 0; stripe < shard.stripes(); stripe++) {
            int unit = model.stripes().unitOn(1, stripe);
            if (unit >= 0) {
                assertThat(shard.isMissing(stripe, unit)).isTrue();
                shard.recover(stripe, unit, full.newest(stripe, unit));
                assertThat(shard.isMissing(stripe, unit)).isFalse();
                assertThat(shard.missing()).isEqualTo(--missing);
            }
        }
        assertThat(missing).isZero();
    }

    /** A server that replaces another one begins with none of its units, however many they are. */
    @Test
    void unitsThatAreMissingTakeNoMemory() {
        ModelSpec large = new ModelSpec(
                2,
                Redundancy.replicated(),
                List.of(new TableSpec(4_000_000, 64, new Optimizer.Sgd(0.1f), new Initializer(7, -1, 1))),
                List.of());
        long before = bytesOutsideTheHeap();

        Shard shard = Shard.empty(large, 0, 0);

        assertThat(bytesOutsideTheHeap() - before).isLessThan(1 << 20);
        assertThat(shard.missing()).isEqualTo(4_000_000);
    }

    /** Of a server that is closed. The next one needs the memory. */
    @Test
    void isNotBuiltToTheEndIfItIsInterrupted() {
        ModelSpec model = new ModelSpec(
                1,
                Redundancy.none(),
                List.of(new TableSpec(ROWS, WIDTH, new Optimizer.Sgd(1), new Initializer(0, 0, 0))),
                List.of());
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> Shard.of(model, 0, 0, InitialState.initial(model)))
                    .isInstanceOf(CancellationException.class);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    private static long bytesOutsideTheHeap() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }
}
