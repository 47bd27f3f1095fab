/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.cudf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.rapids.cudf.DType;
import ai.rapids.cudf.HostColumnVector;
import ai.rapids.cudf.HostColumnVector.BasicType;
import ai.rapids.cudf.HostColumnVector.ListType;
import ai.rapids.cudf.HostColumnVectorCore;
import ai.rapids.cudf.HostMemoryBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Columns on the host, with the real cuDF; a GPU is not needed. */
class TensorColumnsTest {
    private static HostColumnVector floats(float[]... rows) {
        try (TensorWriter writer = TensorWriter.floats(rows.length, rows[0].length)) {
            for (float[] row : rows) {
                writer.add(row);
            }
            return writer.finish();
        }
    }

    @Test
    void rowsLieBehindOneAnother() {
        try (HostColumnVector column = floats(new float[] {1, 2, 3}, new float[] {4, 5, 6})) {
            assertThat(column.getType()).isEqualTo(DType.LIST);
            assertThat(column.getRowCount()).isEqualTo(2);
            assertThat(column.hasNulls()).isFalse();
            HostColumnVectorCore child = column.getChildColumnView(0);
            assertThat(child.getType()).isEqualTo(DType.FLOAT32);
            assertThat(child.getRowCount()).isEqualTo(6);
            assertThat(child.hasNulls()).isFalse();
            assertThat(child.getData().getLength()).isEqualTo(6 * Float.BYTES);
            for (int i = 0; i < 6; i++) {
                assertThat(child.getData().getFloat(i * Float.BYTES)).isEqualTo(i + 1);
            }
            assertThat(column.getOffsets().getLength()).isEqualTo(3 * Integer.BYTES);
            for (int i = 0; i < 3; i++) {
                assertThat(column.getOffsets().getInt(i * Integer.BYTES)).isEqualTo(3 * i);
            }
            /* cuDF reads it as its own. */
            assertThat(column.getList(1)).isEqualTo(List.of(4f, 5f, 6f));
        }
    }

    @Test
    void cudfMakesTheSameColumnOfLists() {
        ListType lists = new ListType(true, new BasicType(true, DType.FLOAT32));
        try (HostColumnVector ours = floats(new float[] {1, -2}, new float[] {0.5f, 7});
                HostColumnVector theirs = HostColumnVector.fromLists(lists, List.of(1f, -2f), List.of(0.5f, 7f))) {
            assertThat(TensorReader.of(theirs).floats(1))
                    .isEqualTo(TensorReader.of(ours).floats(1))
                    .containsExactly(0.5f, 7);
            for (int i = 0; i < 3; i++) {
                assertThat(ours.getOffsets().getInt(i * Integer.BYTES))
                        .isEqualTo(theirs.getOffsets().getInt(i * Integer.BYTES));
            }
        }
    }

    @Test
    void bytesAndBuffersAreRows() {
        try (TensorWriter writer = TensorWriter.bytes(4, 3)) {
            writer.add(new byte[] {1, 2, -3});
            ByteBuffer part = ByteBuffer.wrap(new byte[] {9, 4, 5, 6, 9}, 1, 3);
            writer.add(part);
            assertThat(part.remaining()).isEqualTo(3);
            writer.add(ByteBuffer.allocateDirect(3).put(2, (byte) 8));
            try (HostColumnVector column = writer.finish()) {
                TensorReader rows = TensorReader.of(column);
                assertThat(rows.rows()).isEqualTo(3); // one fewer than there was room for
                assertThat(rows.values()).isEqualTo(3);
                assertThat(rows.type()).isEqualTo(DType.UINT8);
                assertThat(rows.bytes(0)).containsExactly(1, 2, -3);
                assertThat(rows.bytes(1)).containsExactly(4, 5, 6);
                assertThat(rows.bytes(2)).containsExactly(0, 0, 8);
                assertThat(column.getBytesFromList(0)).containsExactly(1, 2, -3);
            }
        }
        ByteBuffer floats = ByteBuffer.allocate(8)
                .order(ByteOrder.nativeOrder())
                .putFloat(1.5f)
                .putFloat(-2f)
                .flip();
        try (TensorWriter writer = TensorWriter.floats(1, 2)) {
            writer.add(floats);
            try (HostColumnVector column = writer.finish()) {
                assertThat(TensorReader.of(column).floats(0)).containsExactly(1.5f, -2f);
            }
        }
    }

    @Test
    void aRowIsWrittenWhereTheColumnHasIt() {
        try (TensorWriter writer = TensorWriter.floats(2, 2)) {
            writer.add(into -> into.putFloat(1).putFloat(2));
            assertThatThrownBy(() -> writer.add(into -> {
                        into.putFloat(8);
                        throw new IOException("no such row");
                    }))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> writer.add(into -> into.putFloat(9)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the rows of a tensor column must have 2 values, 8 bytes, row 1 has 4 bytes: pad,"
                            + " replace or remove such rows first");
            writer.add(into -> into.putFloat(3).putFloat(4));
            try (HostColumnVector column = writer.finish()) {
                TensorReader rows = TensorReader.of(column);
                assertThat(rows.rows()).isEqualTo(2);
                assertThat(rows.floats(0)).containsExactly(1, 2);
                assertThat(rows.floats(1)).containsExactly(3, 4);
            }
        }
    }

    @Test
    void aBatchMayHaveNoRows() {
        try (TensorWriter writer = TensorWriter.floats(0, 5);
                HostColumnVector column = writer.finish()) {
            assertThat(column.getRowCount()).isZero();
            assertThat(TensorReader.of(column).rows()).isZero();
            assertThatThrownBy(() -> TensorReader.of(column).row(0))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessage("a row must be 0 to -1, got 0");
        }
    }

    @Test
    void rowsOfAnotherLengthAndMissingOnesAreNotAdded() {
        try (TensorWriter writer = TensorWriter.floats(2, 3)) {
            writer.add(new float[] {1, 2, 3});
            assertThatThrownBy(() -> writer.add(new float[2]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the rows of a tensor column must have 3 values, 12 bytes, row 1 has 8 bytes:"
                            + " pad, replace or remove such rows first");
            assertThatThrownBy(() -> writer.add((float[]) null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the rows of a tensor column must have 3 values, 12 bytes, row 1 is null: pad,"
                            + " replace or remove such rows first");
            assertThatThrownBy(() -> writer.add(new byte[12]))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the column takes 2 rows of FLOAT32 until it is finished, got row 1 of UINT8");
            writer.add(new float[] {4, 5, 6});
            assertThatThrownBy(() -> writer.add(new float[3]))
                    .hasMessage("the column takes 2 rows of FLOAT32 until it is finished, got row 2 of FLOAT32");
            try (HostColumnVector column = writer.finish()) {
                assertThat(TensorReader.of(column).floats(1)).containsExactly(4, 5, 6);
            }
            assertThatThrownBy(writer::finish).hasMessage("finish must be called once, got a second call");
            assertThatThrownBy(() -> writer.add(new float[3]))
                    .hasMessage("the column takes 2 rows of FLOAT32 until it is finished, got row 2 of FLOAT32 after"
                            + " that");
        }
    }

    @Test
    void columnsThatCudfCannotCountAreRefused() {
        assertThatThrownBy(() -> TensorWriter.bytes(1 << 20, 1 << 11))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a column of cuDF must have fewer than 2^31 values, and a row fewer than 2^31 bytes,"
                        + " got 1048576"
                        + " rows of 2048 values: make smaller batches");
        assertThatThrownBy(() -> TensorWriter.floats(1, 1 << 30))
                .hasMessageStartingWith("a column of cuDF must have fewer than 2^31 values");
        assertThatThrownBy(() -> TensorWriter.floats(1, 0))
                .hasMessage("a batch must have rows of at least 1 value, got 1 rows of 0");
    }

    @Test
    void columnsOfOthersAreChecked() {
        ListType floats = new ListType(true, new BasicType(true, DType.FLOAT32));
        try (HostColumnVector ragged = HostColumnVector.fromLists(floats, List.of(1f, 2f), List.of(3f))) {
            assertThatThrownBy(() -> TensorReader.of(ragged))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the rows of a tensor column must be equally long, row 0 has 2 values, row 1 has"
                            + " 1: pad them first");
        }
        try (HostColumnVector missing = HostColumnVector.fromLists(floats, List.of(1f, 2f), null)) {
            assertThatThrownBy(() -> TensorReader.of(missing))
                    .hasMessage("rows must not be null, got 1 nulls in 2 rows: remove or replace them first");
        }
        try (HostColumnVector gaps = HostColumnVector.fromLists(floats, Arrays.asList(1f, null))) {
            assertThatThrownBy(() -> TensorReader.of(gaps))
                    .hasMessage("values must not be null, got 1 nulls in the lists: replace them first");
        }
        ListType doubles = new ListType(true, new BasicType(true, DType.FLOAT64));
        try (HostColumnVector wide = HostColumnVector.fromLists(doubles, List.of(1.0))) {
            assertThatThrownBy(() -> TensorReader.of(wide))
                    .hasMessage("a tensor column must have lists of FLOAT32, UINT8 or INT8, got LIST of FLOAT64:"
                            + " cast it first");
        }
        try (HostColumnVector flat = HostColumnVector.fromFloats(1, 2)) {
            assertThatThrownBy(() -> TensorReader.of(flat))
                    .hasMessage("a tensor column must have lists of FLOAT32, UINT8 or INT8, got FLOAT32: cast it"
                            + " first");
        }
    }

    @Test
    void aSliceStartsBehindTheFirstValue() {
        HostMemoryBuffer data = HostMemoryBuffer.allocate(6);
        data.setBytes(0, new byte[] {1, 2, 3, 4, 5, 6}, 0, 6);
        HostMemoryBuffer offsets = HostMemoryBuffer.allocate(3 * Integer.BYTES);
        offsets.setInts(0, new int[] {2, 4, 6}, 0, 3);
        HostColumnVectorCore child =
                new HostColumnVectorCore(DType.INT8, 6, Optional.of(0L), data, null, null, List.of());
        try (HostColumnVector column =
                new HostColumnVector(DType.LIST, 2, Optional.of(0L), null, null, offsets, List.of(child))) {
            TensorReader rows = TensorReader.of(column);
            assertThat(rows.bytes(0)).containsExactly(3, 4);
            assertThat(rows.bytes(1)).containsExactly(5, 6);
            assertThat(rows.row(1).isReadOnly()).isTrue();
            assertThatThrownBy(() -> rows.floats(0))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the column has values of INT8, not of FLOAT32");
        }
    }
}
