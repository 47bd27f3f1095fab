/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.parity.Encoding;
import io.paritas.inference.spark.driver.Layout;
import io.paritas.inference.spark.driver.Layout.Placement;
import io.paritas.inference.spark.settings.OnError;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Batches and coding groups of rows of any width. */
class BatchLimitTest {
    private static final int ROWS = 64;
    private static final Layout LAYOUT = new Layout(2, 1, 3, Placement.ROTATED, 1);

    @BeforeAll
    static void start() {
        Fixtures.spark();
    }

    private static RowPlan plan(long bytes) {
        RowPlan narrow = Fixtures.plan(Fixtures.bytes(1), ROWS, OnError.NULL);
        return new RowPlan(
                narrow.reader(),
                Attributes.seq(List.of(
                        new BoundReference(0, DataTypes.LongType, false),
                        new BoundReference(2, DataTypes.BinaryType, false))),
                narrow.answer(),
                narrow.outputs(),
                new BatchLimit(ROWS, bytes),
                narrow.onError());
    }

    /** Rows with a column of this width, the last of them ten times as wide; every seventh is no input. */
    private static Iterator<InternalRow> rows(int count, int width) {
        return IntStream.range(0, count)
                .<InternalRow>mapToObj(id -> new GenericInternalRow(new Object[] {
                    (long) id, new byte[id % 7 == 6 ? 2 : 1], new byte[id == count - 1 ? 10 * width : width]
                }))
                .iterator();
    }

    private static long bytes(PackedRows packed) {
        long[] bytes = new long[1];
        packed.rows().forEachRemaining(row -> bytes[0] += row.columns().getSizeInBytes());
        return bytes[0];
    }

    /* A row of columns has 24 bytes before the wide one, and the padding. */
    private static long rowBytes(int width) {
        return 10L * width + 40;
    }

    @ParameterizedTest
    @CsvSource({
        "1, 300, 1000000, 75",
        "1, 300, 2000, 61",
        "1000, 200, 10000, 10",
        "1000000, 20, 4000000, 4",
        "100000, 20, 1, 1",
        "1, 50, 1, 1"
    })
    void batchesEndWithTheRowThatReachesThem(int width, int count, long bytes, int expected) {
        Batches batches = new Batches(rows(count, width), plan(bytes), 0, 0, Fixtures.task());
        int rows = 0;
        int most = 0;
        while (batches.hasNext()) {
            Batch batch = batches.next();
            int here = batch.rows().accepted() + batch.rows().rejected();
            assertThat(bytes(batch.rows())).isLessThan(bytes + rowBytes(width));
            assertThat(here).isPositive();
            rows += here;
            most = Math.max(most, here);
        }
        assertThat(rows).isEqualTo(count);
        assertThat(most).isEqualTo(expected);
    }

    private static List<Batch> groups(int width, int count, long bytes, TaskContext task) {
        UnsafeProjection exchange = UnsafeProjection.create(Batch.types());
        List<Batch> batches = new ArrayList<>();
        new GroupFormer(
                        0,
                        rows(count, width),
                        plan(bytes),
                        Fixtures.coding(2, 1, Encoding.ADDITION, List.of(1), LAYOUT),
                        task)
                .forEachRemaining(row -> batches.add(Batch.of(exchange.apply(row), 2, 2)));
        return batches;
    }

    @ParameterizedTest
    @CsvSource({"1, 300, 2000", "1000, 200, 10000", "1000000, 20, 4000000", "100000, 20, 1"})
    void groupsAreTheSameWhateverTheMemory(int width, int count, long bytes) {
        List<Batch> expected = groups(width, count, bytes, Fixtures.task());
        assertThat(expected.stream()
                        .mapToInt(
                                batch -> batch.rows().accepted() + batch.rows().rejected())
                        .sum())
                .isEqualTo(count);
        expected.forEach(batch -> assertThat(bytes(batch.rows())).isLessThan(2 * bytes + rowBytes(width)));
        for (long memory : new long[] {1_000_000, 5000, 1}) {
            List<Batch> batches = groups(width, count, bytes, Fixtures.task(memory));
            assertThat(batches).hasSameSizeAs(expected);
            for (int i = 0; i < batches.size(); i++) {
                assertThat(batches.get(i).group()).isEqualTo(expected.get(i).group());
                assertThat(batches.get(i).slot()).isEqualTo(expected.get(i).slot());
                assertThat(batches.get(i).inputs()).isEqualTo(expected.get(i).inputs());
                assertThat(ids(batches.get(i))).isEqualTo(ids(expected.get(i)));
            }
        }
    }

    private static List<Long> ids(Batch batch) {
        List<Long> ids = new ArrayList<>();
        batch.rows().rows().forEachRemaining(row -> ids.add(row.columns().getLong(0)));
        return ids;
    }

    @Test
    void severalBatchesHoldMoreButFitIntoAnArray() {
        BatchLimit limit = new BatchLimit(10, 100).times(3);
        assertThat(limit).isEqualTo(new BatchLimit(30, 300));
        assertThat(limit.isReached(29, 299)).isFalse();
        assertThat(limit.isReached(30, 0)).isTrue();
        assertThat(limit.isReached(1, 300)).isTrue();
        assertThat(new BatchLimit(1, 1 << 30).times(4).bytes()).isEqualTo(1 << 30);
        assertThat(new BatchLimit(1, 1).times(4).bytes()).isEqualTo(4);
        assertThat(new BatchLimit(Integer.MAX_VALUE, 1).times(4).rows()).isEqualTo(Integer.MAX_VALUE - 3);
    }

    @Test
    void stacksAreWhole() {
        assertThat(new BatchLimit(8, 5).ofStacks(4)).isEqualTo(new BatchLimit(8, 5));
        assertThat(new BatchLimit(9, 5).ofStacks(4)).isEqualTo(new BatchLimit(12, 5));
        assertThat(new BatchLimit(1, 5).ofStacks(4)).isEqualTo(new BatchLimit(4, 5));
        assertThat(new BatchLimit(Integer.MAX_VALUE, 5).ofStacks(1)).isEqualTo(new BatchLimit(Integer.MAX_VALUE, 5));
        assertThat(new BatchLimit(Integer.MAX_VALUE, 5).ofStacks(4))
                .isEqualTo(new BatchLimit(Integer.MAX_VALUE - 3, 5));
    }

    @Test
    void aRowOf100MegabytesIsABatch() {
        int width = 10_000_000;
        List<Batch> batches = groups(width, 1, 16 << 20, Fixtures.task(64 << 20));
        assertThat(batches).hasSize(2);
        assertThat(bytes(batches.get(0).rows())).isEqualTo(100_000_024);
        assertThat(batches.get(1).slot()).isEqualTo(2);
        assertThat(batches.get(0).inputs()).isEqualTo(ByteBuffer.wrap(new byte[1]));
    }
}
