/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import io.paritas.inference.TensorSpec;
import io.paritas.inference.spark.settings.ImageLayout;
import io.paritas.inference.spark.settings.InputSettings;
import java.io.Serializable;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * Reads the input of a model from one column that holds all of it (binary, an array of numbers, a Spark ML vector, an
 * image of Spark's image source) or from numeric columns, one for each value. Immutable and thread-safe.
 */
public final class RowReader implements Serializable {
    private static final long serialVersionUID = 1;

    private final ColumnReader columns;
    private final List<String> names;
    private final int[] places;
    private final int rowBytes;
    private final Scaling scaling;

    private RowReader(ColumnReader columns, List<String> names, int[] places, int rowBytes, Scaling scaling) {
        this.columns = columns;
        this.names = List.copyOf(names);
        this.places = places;
        this.rowBytes = rowBytes;
        this.scaling = scaling;
    }

    /**
     * Creates a reader of columns and checks them against the model. Called when a query is planned.
     *
     * @param model input of the model; an image has 3 dimensions (channels, height, width)
     * @param names column names, for messages
     * @param types column types, in the order of the names
     * @throws IllegalArgumentException if these columns cannot be that input, or the format does not fit it
     */
    public static RowReader of(TensorSpec model, InputFormat format, List<String> names, List<DataType> types) {
        if (names.size() != types.size()) {
            throw new IllegalArgumentException(
                    "every column has a name and a type, got the names " + names + " and the types " + types);
        }
        if (format.layout() == ImageLayout.NHWC && model.shape().size() != 3) {
            throw new IllegalArgumentException(InputSettings.LAYOUT.key()
                    + " can be nhwc only if the model's input is an image (channels, height, width), it is " + model);
        }
        ModelInput input = ModelInput.of(model, format.layout());
        ColumnReader columns =
                types.size() == 1 ? one(input, format, names.get(0), types.get(0)) : numbers(input, names, types);
        int rowBytes = Math.multiplyExact(model.size(), columns.element().bytes());
        int[] first = IntStream.range(0, names.size()).toArray();
        return new RowReader(columns, names, first, rowBytes, Scaling.of(model, format));
    }

    /** The same reader of rows in which the columns are elsewhere: at these places, in the order of their names. */
    public RowReader at(int... columnPlaces) {
        if (columnPlaces.length != names.size()) {
            throw new IllegalArgumentException("every column has a place, got the columns " + names + " and the places "
                    + Arrays.toString(columnPlaces));
        }
        return new RowReader(columns, names, columnPlaces.clone(), rowBytes, scaling);
    }

    private static ColumnReader one(ModelInput input, InputFormat format, String name, DataType type) {
        if (type instanceof BinaryType) {
            return switch (format.type()) {
                case FLOAT32 -> new RawBinary(name, input, Element.FLOAT32);
                case UINT8 -> new RawBinary(name, input, Element.UINT8);
                case IMAGE -> new EncodedImage(name, requireImage(input, name), format.channels());
            };
        }
        if (VectorColumn.accepts(type)) {
            return new VectorColumn(name, input);
        }
        Optional<ColumnReader> reader = Optional.empty();
        if (type instanceof ArrayType array) {
            reader = NumberArray.of(name, input, array);
        } else if (type instanceof StructType struct) {
            reader = ImageStruct.of(name, input, format.channels(), struct);
            reader.ifPresent(image -> requireImage(input, name));
        } else if (input.size() == 1) {
            reader = NumberGetter.of(type).map(number -> new NumberColumns(input, List.of(number)));
        }
        return reader.orElseThrow(() -> refusal(input, name, type));
    }

    private static ColumnReader numbers(ModelInput input, List<String> names, List<DataType> types) {
        List<NumberGetter> numbers = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            String name = names.get(i);
            DataType type = types.get(i);
            numbers.add(NumberGetter.of(type)
                    .orElseThrow(() -> new IllegalArgumentException("each of several columns must be a number, column '"
                            + name + "' is " + type.simpleString() + ": the model's input " + input.text()
                            + " is " + accepted(input) + "; in SQL, options are a map behind them")));
        }
        if (numbers.size() != input.size()) {
            throw new IllegalArgumentException("the model's input " + input.text() + " must be " + accepted(input)
                    + ", got " + numbers.size() + " numeric columns");
        }
        return new NumberColumns(input, numbers);
    }

    private static ModelInput requireImage(ModelInput input, String name) {
        if (!input.image() || (input.channels() != 1 && input.channels() != 3)) {
            throw new IllegalArgumentException("column '" + name
                    + "' has images, which are the input of a model that takes (1, height, width) or (3, height,"
                    + " width); this one takes " + input.text());
        }
        return input;
    }

    private static IllegalArgumentException refusal(ModelInput input, String name, DataType type) {
        return new IllegalArgumentException("column '" + name + "' is " + type.simpleString()
                + ", which cannot be the model's input " + input.text() + ": use " + accepted(input));
    }

    private static String accepted(ModelInput input) {
        return "one column of binary values (" + InputSettings.TYPE.key()
                + " says what they hold), arrays of numbers, Spark ML vectors or Spark images, or "
                + input.size() + " numeric column" + (input.size() == 1 ? "" : "s");
    }

    /** The element type that {@link #read} writes: UINT8 or FLOAT32. */
    public Element element() {
        return columns.element();
    }

    /** Number of bytes of a row. */
    public int rowBytes() {
        return rowBytes;
    }

    /** The scaling from what {@link #read} writes to the model's input. */
    public Scaling scaling() {
        return scaling;
    }

    /**
     * Appends {@link #rowBytes} bytes: the values of a row in the model's order, not yet scaled, little-endian whatever
     * the buffer's order.
     *
     * @param row starts with the columns, in the order of their names, or has them {@link #at} places
     * @throws RowException if the row is not an input of the model, for example because of a null; nothing is appended
     * @throws BufferOverflowException if the buffer has no room for it; nothing is appended
     */
    public void read(SpecializedGetters row, ByteBuffer into) throws RowException {
        if (into.remaining() < rowBytes) {
            throw new BufferOverflowException();
        }
        for (int i = 0; i < places.length; i++) {
            if (row.isNullAt(places[i])) {
                throw new RowException("column '" + names.get(i) + "' must not be null");
            }
        }
        columns.read(row, places, into);
    }
}
