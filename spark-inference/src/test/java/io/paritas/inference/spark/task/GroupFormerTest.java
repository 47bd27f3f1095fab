/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paritas.inference.parity.Encoding;
import io.paritas.inference.spark.driver.Layout;
import io.paritas.inference.spark.driver.Layout.Placement;
import io.paritas.inference.spark.settings.OnError;
import io.paritas.spark.job.QueryException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GroupFormerTest {
    private static final int SIZE = 2;
    private static final int BATCH_ROWS = 4;

    /** A batch, and the partition of the exchange that it goes to. */
    private record Sent(int to, Batch batch) {}

    private static byte[] input(long id) {
        return new byte[] {(byte) id, (byte) (id >> 8)};
    }

    /** Every row whose number is a multiple of bad has a wrong input; 0 for none. */
    private static List<InternalRow> rows(int count, int bad) {
        return LongStream.range(0, count)
                .mapToObj(id -> Fixtures.row(id, bad > 0 && id % bad == 0 ? new byte[1] : input(id)))
                .toList();
    }

    private static List<Sent> form(int partition, List<InternalRow> rows, Layout layout) {
        CodingSpec coding = Fixtures.coding(layout.k(), layout.r(), Encoding.ADDITION, List.of(SIZE), layout);
        RowPlan plan = Fixtures.plan(Fixtures.bytes(SIZE), BATCH_ROWS, OnError.NULL);
        UnsafeProjection exchange = UnsafeProjection.create(Batch.types());
        List<Sent> sent = new ArrayList<>();
        new GroupFormer(partition, rows.iterator(), plan, coding, Fixtures.task()).forEachRemaining(row -> {
            InternalRow crossed = exchange.apply(row);
            sent.add(new Sent(crossed.getInt(0), Batch.of(crossed, layout.k(), 1)));
        });
        return sent;
    }

    private static Map<Long, String> byId(List<Sent> sent, Layout layout) {
        Map<Long, String> found = new TreeMap<>();
        for (Sent each : sent) {
            Batch batch = each.batch;
            ByteBuffer inputs = batch.inputs();
            batch.rows().rows().forEachRemaining(row -> {
                long id = row.columns().getLong(0);
                if (row.index() >= 0) {
                    byte[] input = new byte[SIZE];
                    inputs.get(row.index() * SIZE, input);
                    assertThat(input).isEqualTo(input(id));
                }
                assertThat(found.put(id, row.index() < 0 ? row.reason() : ""))
                        .as("twice")
                        .isNull();
            });
            if (batch.slot() < layout.k()) {
                assertThat(batch.rows().accepted()).isEqualTo(batch.size());
                assertThat(inputs.remaining()).isEqualTo(SIZE * batch.size());
            }
        }
        return found;
    }

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "3,1", "3,3", "4,2"})
    void everyRowIsInOneBatchOfData(int k, int r) {
        Layout layout = new Layout(k, r, 3 * (k + r), Placement.ROTATED, 1);
        for (int count = 0; count <= 3 * k * BATCH_ROWS; count++) {
            for (int bad : new int[] {0, 1, 3}) {
                Map<Long, String> found = byId(form(5, rows(count, bad), layout), layout);
                assertThat(found).hasSize(count);
                found.forEach((id, reason) -> assertThat(!reason.isEmpty()).isEqualTo(bad > 0 && id % bad == 0));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "3,1", "3,3", "4,2"})
    void theBatchesOfAGroupAreAtTheSegmentsOfOneStripe(int k, int r) {
        Layout layout = new Layout(k, r, 4 * (k + r), Placement.ROTATED, 1);
        for (int count : new int[] {1, k, k * BATCH_ROWS, 10 * k * BATCH_ROWS + 1}) {
            Map<Long, List<Sent>> groups = new TreeMap<>();
            form(3, rows(count, 0), layout)
                    .forEach(sent -> groups.computeIfAbsent(sent.batch.group(), group -> new ArrayList<>())
                            .add(sent));
            groups.forEach((group, sent) -> {
                Set<Integer> segments = new HashSet<>();
                Set<Integer> stripes = new HashSet<>();
                Set<Integer> rotations = new HashSet<>();
                for (Sent each : sent) {
                    int slot = each.batch.slot();
                    int segment = each.to % layout.segments();
                    assertThat(each.to / layout.segments())
                            .as("partition of the data, or of a parity")
                            .isEqualTo(slot < k ? 0 : 1 + slot - k);
                    segments.add(segment);
                    stripes.add(layout.stripeOf(segment));
                    rotations.add(Math.floorMod(layout.placeOf(segment) - slot, layout.n()));
                    assertThat(each.batch.shape().rows())
                            .isEqualTo(sent.get(0).batch.shape().rows());
                }
                assertThat(segments).hasSameSizeAs(sent);
                assertThat(stripes).hasSize(1);
                assertThat(rotations).hasSize(1);
                assertThat(sent.stream().filter(each -> each.batch.slot() >= k)).hasSize(r);
            });
            assertThat(groups).hasSize((count + k * BATCH_ROWS - 1) / (k * BATCH_ROWS));
        }
    }

    @ParameterizedTest
    @CsvSource({"2,1", "3,2"})
    void segmentsGetEquallyMuch(int k, int r) {
        Layout layout = new Layout(k, r, 3 * (k + r), Placement.ROTATED, 1);
        int rounds = 4;
        int groups = rounds * layout.stripes() * layout.n();
        int[] batches = new int[(1 + r) * layout.segments()];
        form(1, rows(groups * k * BATCH_ROWS, 0), layout).forEach(sent -> batches[sent.to]++);
        for (int to = 0; to < batches.length; to++) {
            assertThat(batches[to]).as("partition %d", to).isEqualTo(to < layout.segments() ? rounds * k : rounds);
        }
    }

    @Test
    void partitionsStartAtDifferentSegments() {
        Layout layout = new Layout(2, 1, 6, Placement.ROTATED, 1);
        Set<Integer> first = new HashSet<>();
        for (int partition = 0; partition < 6; partition++) {
            first.add(form(partition, rows(1, 0), layout).get(0).to);
        }
        assertThat(first).hasSize(6);
    }

    /** The segments of a call in place have rows where they have data, and there are as many of them. */
    @ParameterizedTest
    @CsvSource({"2,1", "3,2", "4,2"})
    void segmentsOfACallBelowAreSpreadOverTheStripes(int k, int r) {
        for (int stripes = 1; stripes <= 12; stripes++) {
            Layout layout = new Layout(k, r, stripes * (k + r), Placement.ROTATED, 1);
            int[] groups = new int[stripes];
            for (int partition = 0; partition < layout.segments(); partition++) {
                int count = layout.placeOf(partition) < k ? 1 : 0;
                form(partition, rows(count, 0), layout).stream()
                        .filter(sent -> sent.batch.slot() == 0)
                        .forEach(sent -> groups[layout.stripeOf(sent.to)]++);
            }
            assertThat(groups).as("%s stripes", stripes).containsOnly(k);
        }
    }

    @Test
    void parityIsTheSumOfTheInputs() {
        List<Sent> sent = form(0, rows(3, 0), new Layout(2, 1, 3, Placement.ROTATED, 1));
        assertThat(sent).extracting(each -> each.batch.slot()).containsExactly(0, 1, 2);
        ByteBuffer parity = sent.get(2).batch.inputs();
        byte[] bytes = new byte[parity.remaining()];
        parity.get(bytes);
        assertThat(bytes).as("0 + 2 and 1 twice, of two bytes each").containsExactly(2, 0, 0, 0, 2, 0, 0, 0);
        assertThat(sent.get(2).batch.size()).isEqualTo(2);
    }

    @Test
    void uncodedStripesHaveNoParity() {
        Layout layout = new Layout(2, 1, 12, Placement.ROTATED, 0.5);
        form(0, rows(40 * 2 * BATCH_ROWS, 0), layout).forEach(sent -> {
            if (sent.batch.slot() == 2) {
                assertThat(layout.coded(layout.stripeOf(sent.to - layout.segments())))
                        .isTrue();
            }
        });
        assertThat(form(0, rows(100, 0), new Layout(2, 1, 12, Placement.ROTATED, 0)))
                .allMatch(sent -> sent.batch.slot() < 2)
                .isNotEmpty();
    }

    @Test
    void refusedRowsAloneMakeABatchWithoutParity() {
        List<Sent> sent = form(0, rows(3, 1), new Layout(2, 1, 3, Placement.ROTATED, 1));
        assertThat(sent).hasSize(1);
        assertThat(sent.get(0).batch.rows().rejected()).isEqualTo(3);
        assertThat(sent.get(0).batch.size()).isZero();
    }

    @Test
    void equalRowsComeToEqualBytes() {
        Layout layout = new Layout(3, 2, 10, Placement.ROTATED, 1);
        List<Sent> first = form(2, rows(100, 7), layout);
        List<Sent> second = form(2, rows(100, 7), layout);
        assertThat(first).hasSameSizeAs(second);
        for (int i = 0; i < first.size(); i++) {
            assertThat(first.get(i).to).isEqualTo(second.get(i).to);
            assertThat(first.get(i).batch.group()).isEqualTo(second.get(i).batch.group());
            assertThat(Arrays.equals(
                            first.get(i).batch.inputs().array(),
                            second.get(i).batch.inputs().array()))
                    .isTrue();
        }
    }

    @Test
    void groupsOfAllPartitionsAreDifferent() {
        Set<Long> groups = new HashSet<>();
        for (int partition = 0; partition < 3; partition++) {
            form(partition, rows(100, 0), new Layout(2, 1, 3, Placement.ROTATED, 1)).stream()
                    .filter(sent -> sent.batch.slot() == 0)
                    .forEach(sent -> assertThat(groups.add(sent.batch.group())).isTrue());
        }
    }

    @Test
    void aWrongRowFailsIfItShould() {
        Layout layout = new Layout(2, 1, 3, Placement.ROTATED, 1);
        GroupFormer former = new GroupFormer(
                0,
                rows(2, 1).iterator(),
                Fixtures.plan(Fixtures.bytes(SIZE), BATCH_ROWS, OnError.FAIL),
                Fixtures.coding(2, 1, Encoding.ADDITION, List.of(SIZE), layout),
                Fixtures.task());
        assertThatExceptionOfType(QueryException.class)
                .isThrownBy(former::hasNext)
                .withMessageStartingWith("a row cannot be predicted: column 'x'")
                .withMessageEndingWith(
                        "; the option onError=null or onError=column keeps such rows, without a prediction");
    }
}
