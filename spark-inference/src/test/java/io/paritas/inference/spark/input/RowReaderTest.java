/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.TensorSpec;
import io.paritas.inference.spark.settings.BinaryContent;
import io.paritas.inference.spark.settings.ChannelOrder;
import io.paritas.inference.spark.settings.ImageLayout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.math.BigDecimal;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class RowReaderTest {
    private static final TensorSpec LIST = new TensorSpec("x", List.of(3));
    private static final TensorSpec ONE = new TensorSpec("x", List.of());
    private static final TensorSpec IMAGE = new TensorSpec("x", List.of(3, 1, 2));
    private static final InputFormat FLOATS = InputFormat.DEFAULT;
    private static final InputFormat BYTES = format(BinaryContent.UINT8, ImageLayout.NCHW);
    private static final InputFormat FLOAT_PIXELS = format(BinaryContent.FLOAT32, ImageLayout.NHWC);
    private static final InputFormat BYTE_PIXELS = format(BinaryContent.UINT8, ImageLayout.NHWC);

    private static InputFormat format(BinaryContent type, ImageLayout layout) {
        return new InputFormat(type, layout, ChannelOrder.RGB, 1, List.of(0f), List.of(1f));
    }

    private static RowReader reader(TensorSpec model, InputFormat format, DataType... types) {
        List<String> names =
                IntStream.range(0, types.length).mapToObj(i -> "c" + i).toList();
        return RowReader.of(model, format, names, List.of(types));
    }

    /** What is read of a row, which is the same however Spark holds the row, and after the reader's travel. */
    private static float[] read(TensorSpec model, InputFormat format, List<DataType> types, Object... row)
            throws Exception {
        RowReader reader = travelled(reader(model, format, types.toArray(DataType[]::new)));
        InternalRow generic = new GenericInternalRow(row);
        InternalRow unsafe =
                UnsafeProjection.create(types.toArray(DataType[]::new)).apply(generic);
        float[] values = values(reader, generic, ByteBuffer::allocateDirect);
        for (IntFunction<ByteBuffer> memory :
                List.<IntFunction<ByteBuffer>>of(ByteBuffer::allocateDirect, size -> ByteBuffer.allocate(size + 3)
                        .slice(3, size))) {
            assertThat(values(reader, generic, memory)).containsExactly(values);
            assertThat(values(reader, unsafe, memory)).containsExactly(values);
        }
        return values;
    }

    private static float[] read(TensorSpec model, InputFormat format, DataType type, Object value) throws Exception {
        return read(model, format, List.of(type), value);
    }

    private static float[] values(RowReader reader, InternalRow row, IntFunction<ByteBuffer> memory)
            throws RowException {
        ByteBuffer into = memory.apply(reader.rowBytes() + 2).put((byte) 9);
        reader.read(row, into);
        assertThat(into.remaining()).isEqualTo(1);
        assertThat(into.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
        into.flip().position(1).order(ByteOrder.LITTLE_ENDIAN);
        float[] values = new float[reader.rowBytes() / reader.element().bytes()];
        for (int i = 0; i < values.length; i++) {
            values[i] = reader.element() == Element.UINT8 ? into.get() & 0xFF : into.getFloat();
        }
        return values;
    }

    private static RowReader travelled(RowReader reader) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(reader);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (RowReader) in.readObject();
        }
    }

    private static void refuses(RowReader reader, String message, Object... row) {
        refusesRow(reader, message, new GenericInternalRow(row));
    }

    private static void refusesRow(RowReader reader, String message, InternalRow row) {
        ByteBuffer into = ByteBuffer.allocate(1000).position(3);
        assertThatThrownBy(() -> reader.read(row, into))
                .isInstanceOf(RowException.class)
                .hasMessage(message);
        assertThat(into.position()).isEqualTo(3);
    }

    private static byte[] littleEndian(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return bytes.array();
    }

    private static GenericArrayData array(Object... values) {
        return new GenericArrayData(values);
    }

    private static Decimal decimal(String text, int precision, int scale) {
        return Decimal.apply(new BigDecimal(text), precision, scale);
    }

    @Test
    void binaryIsTakenAsItIs() throws Exception {
        assertThat(read(LIST, FLOATS, DataTypes.BinaryType, littleEndian(1.5f, Float.NaN, -3)))
                .containsExactly(1.5f, Float.NaN, -3);
        assertThat(read(LIST, BYTES, DataTypes.BinaryType, new byte[] {1, -1, -128}))
                .containsExactly(1, 255, 128);
    }

    @Test
    void binaryOfPixelsIsTransposed() throws Exception {
        assertThat(read(IMAGE, FLOAT_PIXELS, DataTypes.BinaryType, littleEndian(11, 12, 13, 21, 22, 23)))
                .containsExactly(11, 21, 12, 22, 13, 23);
        assertThat(read(IMAGE, BYTE_PIXELS, DataTypes.BinaryType, new byte[] {11, 12, 13, 21, 22, -1}))
                .containsExactly(11, 21, 12, 22, 13, 255);
        TensorSpec large = new TensorSpec("x", List.of(2, 3, 5));
        byte[] pixels = new byte[30];
        float[] expected = new float[30];
        for (int i = 0; i < 30; i++) {
            pixels[i] = (byte) i;
            expected[i % 2 * 15 + i / 2] = i;
        }
        assertThat(read(large, BYTE_PIXELS, DataTypes.BinaryType, pixels)).containsExactly(expected);
    }

    @Test
    void elementsAreBytesOrFloats() {
        RowReader bytes = reader(LIST, BYTES, DataTypes.BinaryType);
        assertThat(bytes.element()).isEqualTo(Element.UINT8);
        assertThat(bytes.rowBytes()).isEqualTo(3);
        RowReader floats = reader(LIST, FLOATS, DataTypes.BinaryType);
        assertThat(floats.element()).isEqualTo(Element.FLOAT32);
        assertThat(floats.rowBytes()).isEqualTo(12);
        RowReader tiny = reader(LIST, BYTES, DataTypes.createArrayType(DataTypes.ByteType));
        assertThat(tiny.element()).isEqualTo(Element.FLOAT32);
    }

    @Test
    void binaryOfAnotherLengthIsRefused() {
        refuses(
                reader(LIST, FLOATS, DataTypes.BinaryType),
                "column 'c0' must have the 12 bytes of the input x (3) as FLOAT32, got 3",
                new byte[3]);
        refuses(
                reader(LIST, BYTES, DataTypes.BinaryType),
                "column 'c0' must have the 3 bytes of the input x (3) as UINT8, got 12",
                new byte[12]);
    }

    @Test
    void arraysOfAllNumbersAreRead() throws Exception {
        record Kind(DataType type, List<Object> values, float... expected) {}
        List<Kind> kinds = List.of(
                new Kind(DataTypes.FloatType, List.of(1.5f, Float.NaN, -3f), 1.5f, Float.NaN, -3),
                new Kind(DataTypes.DoubleType, List.of(0.1, 1e300, -3.0), 0.1f, Float.POSITIVE_INFINITY, -3),
                new Kind(DataTypes.IntegerType, List.of(7, -8, 16777217), 7, -8, 16777216),
                new Kind(DataTypes.LongType, List.of(7L, 1L << 40, -1L), 7, 1L << 40, -1),
                new Kind(DataTypes.ShortType, List.of((short) 7, (short) -8, (short) 300), 7, -8, 300),
                new Kind(DataTypes.ByteType, List.of((byte) 7, (byte) -8, (byte) -128), 7, -8, -128),
                new Kind(DataTypes.BooleanType, List.of(true, false, true), 1, 0, 1),
                new Kind(
                        DataTypes.createDecimalType(6, 2),
                        List.of(decimal("1.25", 6, 2), decimal("-1234.50", 6, 2), decimal("0", 6, 2)),
                        1.25f,
                        -1234.5f,
                        0),
                new Kind(
                        DataTypes.createDecimalType(38, 2),
                        List.of(decimal("1.25", 38, 2), decimal("99999999999999999999.5", 38, 2), decimal("-2", 38, 2)),
                        1.25f,
                        1e20f,
                        -2));
        for (Kind kind : kinds) {
            DataType type = DataTypes.createArrayType(kind.type());
            assertThat(read(LIST, FLOATS, type, array(kind.values().toArray())))
                    .as("%s", type)
                    .containsExactly(kind.expected());
            DataType[] columns = {kind.type(), kind.type(), kind.type()};
            assertThat(read(LIST, FLOATS, Arrays.asList(columns), kind.values().toArray()))
                    .as("columns of %s", kind.type())
                    .containsExactly(kind.expected());
        }
    }

    @Test
    void arraysOfPixelsAreTransposed() throws Exception {
        assertThat(read(
                        IMAGE,
                        FLOAT_PIXELS,
                        DataTypes.createArrayType(DataTypes.IntegerType),
                        array(11, 12, 13, 21, 22, 23)))
                .containsExactly(11, 21, 12, 22, 13, 23);
    }

    @Test
    void nestedArraysAreFlattened() throws Exception {
        DataType rows = DataTypes.createArrayType(DataTypes.createArrayType(DataTypes.FloatType));
        assertThat(read(IMAGE, FLOATS, rows, array(array(1f, 2f), array(3f, 4f), array(5f, 6f))))
                .containsExactly(1, 2, 3, 4, 5, 6);
        DataType image = DataTypes.createArrayType(rows);
        assertThat(read(IMAGE, FLOAT_PIXELS, image, array(array(array(11f, 12f, 13f), array(21f, 22f, 23f)))))
                .containsExactly(11, 21, 12, 22, 13, 23);
    }

    @Test
    void arraysThatDoNotFitAreRefused() {
        RowReader flat = reader(LIST, FLOATS, DataTypes.createArrayType(DataTypes.FloatType));
        refuses(flat, "column 'c0' must have the 3 values of the input x (3), got 2", array(1f, 2f));
        refuses(flat, "column 'c0' must have the 3 values of the input x (3), got 0", array());
        refuses(flat, "column 'c0' must have a value everywhere, element 1 of an array is null", array(1f, null, 2f));
        RowReader nested =
                reader(LIST, FLOATS, DataTypes.createArrayType(DataTypes.createArrayType(DataTypes.FloatType)));
        refuses(
                nested,
                "column 'c0' must have the 3 values of the input x (3), got 4",
                array(array(1f, 2f), array(3f, 4f)));
        refuses(
                nested,
                "column 'c0' must have a value everywhere, element 1 of an array is null",
                array(array(1f, 2f), null));
        refuses(
                nested,
                "column 'c0' must have a value everywhere, element 0 of an array is null",
                array(array(1f, 2f), array(new Object[] {null})));
    }

    @Test
    void rowsAsSparkPacksThemAreRefusedAlike() {
        refusesPacked(
                LIST,
                BYTES,
                DataTypes.BinaryType,
                new byte[12],
                "column 'c0' must have the 3 bytes of the input x (3) as UINT8, got 12");
        DataType floats = DataTypes.createArrayType(DataTypes.FloatType);
        refusesPacked(
                LIST, FLOATS, floats, array(1f, 2f), "column 'c0' must have the 3 values of the input x (3), got 2");
        Object[] values = Collections.nCopies(100, 1f).toArray();
        values[70] = null;
        refusesPacked(
                new TensorSpec("x", List.of(100)),
                FLOATS,
                floats,
                array(values),
                "column 'c0' must have a value everywhere, element 70 of an array is null");
    }

    private static void refusesPacked(
            TensorSpec model, InputFormat format, DataType type, Object value, String message) {
        InternalRow packed =
                UnsafeProjection.create(new DataType[] {type}).apply(new GenericInternalRow(new Object[] {value}));
        refusesRow(reader(model, format, type), message, packed);
    }

    @Test
    void columnsOfDifferentNumbersAreValues() throws Exception {
        List<DataType> types = List.of(DataTypes.BooleanType, DataTypes.createDecimalType(4, 1), DataTypes.ByteType);
        assertThat(read(LIST, FLOATS, types, true, decimal("2.5", 4, 1), (byte) -3))
                .containsExactly(1, 2.5f, -3);
        assertThat(read(ONE, FLOATS, DataTypes.LongType, 5L)).containsExactly(5);
    }

    @Test
    void nullsAreRefused() {
        refuses(reader(LIST, FLOATS, DataTypes.BinaryType), "column 'c0' must not be null", new Object[] {null});
        refuses(
                reader(LIST, FLOATS, DataTypes.FloatType, DataTypes.IntegerType, DataTypes.FloatType),
                "column 'c1' must not be null",
                1f,
                null,
                null);
    }

    @Test
    void vectorsAreReadDenseAndSparse() throws Exception {
        DataType type = SQLDataTypes.VectorType();
        List<Vector> vectors = List.of(
                Vectors.dense(1.5, -2, Double.NaN),
                Vectors.sparse(3, new int[] {2}, new double[] {7}),
                Vectors.sparse(3, new int[] {0, 1}, new double[] {0, -1}),
                Vectors.sparse(3, new int[0], new double[0]));
        List<float[]> expected =
                List.of(new float[] {1.5f, -2, Float.NaN}, new float[] {0, 0, 7}, new float[] {0, -1, 0}, new float[3]);
        for (int i = 0; i < vectors.size(); i++) {
            assertThat(read(LIST, FLOATS, type, new VectorUDT().serialize(vectors.get(i))))
                    .containsExactly(expected.get(i));
        }
    }

    @Test
    void vectorsThatDoNotFitAreRefused() {
        RowReader reader = reader(LIST, FLOATS, SQLDataTypes.VectorType());
        String message = "column 'c0' must have the 3 values of the input x (3), got 4";
        refuses(reader, message, new VectorUDT().serialize(Vectors.dense(1, 2, 3, 4)));
        refuses(reader, message, new VectorUDT().serialize(Vectors.sparse(4, new int[0], new double[0])));
        refuses(
                reader,
                "column 'c0' must have indices of vectors from 0 to 2, got 3",
                new GenericInternalRow(new Object[] {(byte) 0, 3, array(3), array(1.0)}));
    }

    @Test
    void roomIsAskedForFirst() {
        RowReader reader = reader(LIST, BYTES, DataTypes.BinaryType);
        ByteBuffer into = ByteBuffer.allocate(2);
        assertThatThrownBy(() -> reader.read(new GenericInternalRow(new Object[] {new byte[3]}), into))
                .isInstanceOf(BufferOverflowException.class);
        assertThat(into.position()).isZero();
    }

    @Test
    void typesThatAreNoInputAreRefused() {
        String accepted = ", which cannot be the model's input x (3): use one column of binary values"
                + " (spark.paritas.input.type says what they hold), arrays of numbers, Spark ML vectors or Spark"
                + " images, or 3 numeric columns";
        List<DataType> types = List.of(
                DataTypes.StringType,
                DataTypes.FloatType,
                DataTypes.NullType,
                DataTypes.DateType,
                DataTypes.TimestampType,
                DataTypes.createArrayType(DataTypes.StringType),
                DataTypes.createArrayType(DataTypes.BinaryType),
                DataTypes.createMapType(DataTypes.IntegerType, DataTypes.FloatType),
                new StructType().add("height", DataTypes.IntegerType),
                DataTypes.VariantType,
                DataTypes.CalendarIntervalType);
        for (DataType type : types) {
            assertThatThrownBy(() -> reader(LIST, FLOATS, type))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("column 'c0' is " + type.simpleString() + accepted);
        }
        assertThatThrownBy(() -> reader(LIST, FLOATS, DataTypes.FloatType, DataTypes.BinaryType, DataTypes.FloatType))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "each of several columns must be a number, column 'c1' is binary: the model's input x (3) is one"
                                + " column of binary values (spark.paritas.input.type says what they hold), arrays of numbers,"
                                + " Spark ML vectors or Spark images, or 3 numeric columns; in SQL, options are a map behind them");
    }

    @Test
    void otherNumbersOfColumnsAreRefused() {
        String message =
                "the model's input x (3) must be one column of binary values (spark.paritas.input.type says what they"
                        + " hold), arrays of numbers, Spark ML vectors or Spark images, or 3 numeric columns, got %s"
                        + " numeric columns";
        assertThatThrownBy(() -> reader(LIST, FLOATS, DataTypes.FloatType, DataTypes.FloatType))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message, 2);
        assertThatThrownBy(() -> reader(LIST, FLOATS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message, 0);
        assertThatThrownBy(() -> reader(ONE, FLOATS, DataTypes.StringType))
                .hasMessageStartingWith("column 'c0' is string, which cannot be the model's input x ()")
                .hasMessageEndingWith(", or 1 numeric column");
        assertThatThrownBy(() -> RowReader.of(LIST, FLOATS, List.of("a"), new ArrayList<>()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("every column has a name and a type, got the names [a] and the types []");
    }

    @Test
    void formatsThatDoNotFitTheModelAreRefused() {
        assertThatThrownBy(() -> reader(LIST, FLOAT_PIXELS, DataTypes.BinaryType))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spark.paritas.input.layout can be nhwc only if the model's input is an image (channels,"
                        + " height, width), it is x (3)");
        InputFormat means = new InputFormat(
                BinaryContent.UINT8, ImageLayout.NCHW, ChannelOrder.RGB, 1, List.of(1f, 2f, 3f), List.of(1f));
        assertThatThrownBy(() -> reader(LIST, means, DataTypes.BinaryType))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("spark.paritas.input.mean must have one value for the input x (3), got 3");
        assertThat(reader(IMAGE, means, DataTypes.BinaryType).scaling()).isNotNull();
    }

    @Test
    void namesMayBeAnything() {
        RowReader reader = RowReader.of(ONE, FLOATS, List.of("a.b 'c'"), List.of(DataTypes.IntegerType));
        refuses(reader, "column 'a.b 'c'' must not be null", new Object[] {null});
    }
}
