/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.TensorShapeProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import com.google.protobuf.ByteString;
import io.paritas.inference.ModelException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/** ONNX's tensors, which keep their values as little-endian bytes or in a typed list, to and from arrays. */
final class Tensors {

    private Tensors() {}

    static int[] shape(TensorProto tensor) {
        return tensor.getDimsList().stream().mapToInt(Math::toIntExact).toArray();
    }

    static float[] floats(TensorProto tensor) {
        float[] values = new float[count(tensor)];
        if (tensor.hasRawData()) {
            raw(tensor, (long) values.length * Float.BYTES).asFloatBuffer().get(values);
        } else {
            for (int i = 0; i < values.length; i++) {
                values[i] = tensor.getFloatData(i);
            }
        }
        return values;
    }

    static long[] integers(TensorProto tensor) {
        if (tensor.getDataType() != TensorProto.DataType.INT64_VALUE) {
            throw new ModelException("the constant '" + tensor.getName() + "' must be int64, it has ONNX's type "
                    + tensor.getDataType());
        }
        long[] values = new long[count(tensor)];
        if (tensor.hasRawData()) {
            raw(tensor, (long) values.length * Long.BYTES).asLongBuffer().get(values);
        } else {
            for (int i = 0; i < values.length; i++) {
                values[i] = tensor.getInt64Data(i);
            }
        }
        return values;
    }

    private static int count(TensorProto tensor) {
        int count = Weight.size(shape(tensor));
        int typed = Math.max(tensor.getFloatDataCount(), tensor.getInt64DataCount());
        if (!tensor.hasRawData() && typed != count) {
            throw new ModelException("the tensor '" + tensor.getName() + "' of shape " + Arrays.toString(shape(tensor))
                    + " needs " + count + " values, the model holds " + typed + ": it is damaged");
        }
        return count;
    }

    private static ByteBuffer raw(TensorProto tensor, long expected) {
        ByteString bytes = tensor.getRawData();
        if (bytes.size() != expected) {
            throw new ModelException("the tensor '" + tensor.getName() + "' of shape " + Arrays.toString(shape(tensor))
                    + " needs " + expected + " bytes, the model holds " + bytes.size() + ": it is damaged");
        }
        return bytes.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
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

    static TensorProto proto(String name, long... values) {
        TensorProto.Builder tensor = TensorProto.newBuilder()
                .setName(name)
                .setDataType(TensorProto.DataType.INT64_VALUE)
                .addDims(values.length);
        for (long value : values) {
            tensor.addInt64Data(value);
        }
        return tensor.build();
    }

    /** A float32 value of that shape behind a batch of any size. */
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
