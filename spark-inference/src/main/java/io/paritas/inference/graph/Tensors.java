/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.TensorShapeProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import com.google.protobuf.ByteString;
import io.paritas.inference.ModelException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/** Converts ONNX's tensors, whose values are little-endian bytes or typed lists, to and from arrays. */
final class Tensors {

    private Tensors() {}

    static int[] shape(TensorProto tensor) {
        if (tensor.getDimsList().stream().anyMatch(size -> size < 0 || size > Integer.MAX_VALUE)) {
            throw new ModelException("the tensor '" + tensor.getName() + "' cannot have the shape "
                    + tensor.getDimsList() + ": the model is damaged");
        }
        return tensor.getDimsList().stream().mapToInt(Long::intValue).toArray();
    }

    static float[] floats(TensorProto tensor) {
        if (tensor.hasRawData()) {
            ByteBuffer bytes = raw(tensor, Float.BYTES);
            float[] values = new float[bytes.remaining() / Float.BYTES];
            bytes.asFloatBuffer().get(values);
            return values;
        }
        float[] values = new float[typed(tensor, tensor.getFloatDataCount())];
        for (int i = 0; i < values.length; i++) {
            values[i] = tensor.getFloatData(i);
        }
        return values;
    }

    static long[] integers(TensorProto tensor) {
        if (tensor.getDataType() != TensorProto.DataType.INT64_VALUE) {
            throw new ModelException("the constant '" + tensor.getName() + "' must be int64, it has ONNX's type "
                    + tensor.getDataType());
        }
        if (tensor.hasRawData()) {
            ByteBuffer bytes = raw(tensor, Long.BYTES);
            long[] values = new long[bytes.remaining() / Long.BYTES];
            bytes.asLongBuffer().get(values);
            return values;
        }
        long[] values = new long[typed(tensor, tensor.getInt64DataCount())];
        for (int i = 0; i < values.length; i++) {
            values[i] = tensor.getInt64Data(i);
        }
        return values;
    }

    /** Checks the number of values in a typed list, because a damaged tensor may have any shape. */
    private static int typed(TensorProto tensor, int held) {
        require(tensor, held, 1, "values");
        return held;
    }

    private static ByteBuffer raw(TensorProto tensor, int bytesPerValue) {
        ByteString bytes = tensor.getRawData();
        require(tensor, bytes.size(), bytesPerValue, "bytes");
        return bytes.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void require(TensorProto tensor, int held, int each, String unit) {
        int[] shape = shape(tensor);
        BigInteger needed = BigInteger.valueOf(each);
        for (int size : shape) {
            needed = needed.multiply(BigInteger.valueOf(size));
        }
        if (!needed.equals(BigInteger.valueOf(held))) {
            throw new ModelException("the tensor '" + tensor.getName() + "' of shape " + Arrays.toString(shape)
                    + " needs " + needed + " " + unit + ", the model holds " + held + ": it is damaged");
        }
    }

    static TensorProto proto(Weight weight) {
        ByteBuffer bytes = ByteBuffer.allocate(weight.size() * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(weight.values());
        TensorProto.Builder tensor = TensorProto.newBuilder()
                .setName(weight.name())
                .setDataType(TensorProto.DataType.FLOAT_VALUE)
                .setRawData(ByteString.copyFrom(bytes));
        for (int size : weight.shape()) {
            tensor.addDims(size);
        }
        return tensor.build();
    }

    /** An int64 tensor of rank 0 (a number) or 1 (a list). */
    static TensorProto proto(String name, int rank, long... values) {
        TensorProto.Builder tensor =
                TensorProto.newBuilder().setName(name).setDataType(TensorProto.DataType.INT64_VALUE);
        if (rank > 0) {
            tensor.addDims(values.length);
        }
        for (long value : values) {
            tensor.addInt64Data(value);
        }
        return tensor.build();
    }

    /** A float32 value with a batch of any size and that shape of a row. */
    static ValueInfoProto value(String name, List<Integer> shape) {
        ValueInfoProto.Builder value = ValueInfoProto.newBuilder().setName(name);
        shape(value, shape);
        return value.build();
    }

    static void shape(ValueInfoProto.Builder value, List<Integer> shape) {
        TensorShapeProto.Builder sizes = TensorShapeProto.newBuilder();
        sizes.addDimBuilder().setDimParam("batch");
        for (int size : shape) {
            sizes.addDimBuilder().setDimValue(size);
        }
        value.getTypeBuilder()
                .getTensorTypeBuilder()
                .setElemType(TensorProto.DataType.FLOAT_VALUE)
                .setShape(sizes);
    }
}
