/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PackedRowsTest {
    private static final DataType[] TYPES = {DataTypes.LongType, DataTypes.StringType};

    private final UnsafeProjection projection = UnsafeProjection.create(TYPES);

    /** Files of rows that are spilled are Spark's. */
    @BeforeAll
    static void start() {
        Fixtures.spark();
    }

    private UnsafeRow row(Long id, String text) {
        return projection
                .apply(new GenericInternalRow(new Object[] {id, UTF8String.fromString(text)}))
                .copy();
    }

    private record Rejected(UnsafeRow row, String reason) {}

    private static byte[] pack(List<UnsafeRow> accepted, List<Rejected> rejected) {
        WaitingRows rows = new WaitingRows(Fixtures.task());
        WaitingRows others = new WaitingRows(Fixtures.task());
        List<String> reasons = new ArrayList<>();
        accepted.forEach(row -> rows.add(row, 0));
        rejected.forEach(each -> {
            others.add(each.row, 0);
            reasons.add(each.reason);
        });
        return PackedRows.pack(rows, accepted.size(), others, reasons);
    }

    private static List<String> texts(PackedRows packed) {
        List<String> texts = new ArrayList<>();
        packed.rows().forEachRemaining(row -> {
            String columns = (row.columns().isNullAt(0) ? "null" : row.columns().getLong(0)) + " "
                    + row.columns().getString(1);
            texts.add(row.index() < 0 ? "- " + columns + ": " + row.reason() : row.index() + ": " + columns);
        });
        return texts;
    }

    @Test
    void rowsComeBackInOrderWithTheirReasons() {
        byte[] bytes = pack(
                List.of(row(1L, "one"), row(2L, "ein längerer Text: 四十二")),
                List.of(new Rejected(row(3L, ""), "empty"), new Rejected(row(null, "é"), "größer als 8 €: 🙂")));
        PackedRows packed = new PackedRows(bytes, 2);
        assertThat(packed.accepted()).isEqualTo(2);
        assertThat(packed.rejected()).isEqualTo(2);
        assertThat(bytes.length % 8).isZero();
        assertThat(texts(packed))
                .containsExactly(
                        "0: 1 one", "1: 2 ein längerer Text: 四十二", "- 3 : empty", "- null é: größer als 8 €: 🙂");
        assertThat(texts(packed)).as("again").hasSize(4);
    }

    @Test
    void thereMayBeNone() {
        PackedRows packed = new PackedRows(pack(List.of(), List.of()), 2);
        assertThat(packed.accepted() + packed.rejected()).isZero();
        assertThat(texts(packed)).isEmpty();
        assertThat(packed.bytes()).isEqualTo(PackedRows.NONE.bytes());
    }

    @Test
    void rowsMayHaveNoColumns() {
        UnsafeRow none = UnsafeProjection.create(new DataType[0])
                .apply(new GenericInternalRow(new Object[0]))
                .copy();
        List<Integer> seen = new ArrayList<>();
        new PackedRows(pack(List.of(none, none), List.of(new Rejected(none, "no"))), 0)
                .rows()
                .forEachRemaining(row -> seen.add(row.index()));
        assertThat(seen).containsExactly(0, 1, -1);
    }

    @Test
    void reasonsOfEveryLengthKeepRowsAligned() {
        List<Rejected> rejected = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int length = 0; length < 20; length++) {
            rejected.add(new Rejected(row((long) length, "x"), "y".repeat(length)));
            expected.add("- " + length + " x: " + "y".repeat(length));
        }
        rejected.add(new Rejected(row(20L, "x"), null));
        expected.add("- 20 x: ");
        rejected.add(new Rejected(row(21L, "x"), "z".repeat(100_000)));
        expected.add("- 21 x: " + "z".repeat(1000) + " ...");
        assertThat(texts(new PackedRows(pack(List.of(), rejected), 2))).isEqualTo(expected);
    }
}
