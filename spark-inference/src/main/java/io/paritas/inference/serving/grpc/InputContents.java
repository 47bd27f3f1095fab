/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.paritas.inference.serving.grpc.messages.InferTensorContents;
import io.paritas.inference.serving.protocol.Datatype;
import io.paritas.inference.serving.protocol.InputTensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The values of an input in the field of its datatype.
 *
 * @param field its name
 * @param count of the values in it
 * @param values of it
 */
record InputContents(String field, int count, Values values) {

    /** Values by their index. */
    @FunctionalInterface
    private interface Values {
        float at(int index);
    }

    /** @throws IllegalArgumentException if there are more or fewer values, or FP32 does not have one of them */
    static List<float[]> read(InputTensor tensor, InferTensorContents contents) {
        InputContents input = of(tensor.datatype(), contents);
        if (input.count != tensor.values()) {
            throw new IllegalArgumentException("the input '" + tensor.spec().name() + "' of " + tensor.rows()
                    + " rows must have " + tensor.values() + " values in raw_input_contents or in " + input.field
                    + " of its contents, got " + input.count);
        }
        int size = tensor.spec().size();
        List<float[]> rows = new ArrayList<>(tensor.rows());
        for (int row = 0; row < tensor.rows(); row++) {
            float[] one = new float[size];
            for (int i = 0; i < size; i++) {
                one[i] = input.values.at(row * size + i);
            }
            rows.add(one);
        }
        return rows;
    }

    private static InputContents of(Datatype type, InferTensorContents from) {
        return switch (type) {
            case FP32 -> new InputContents("fp32_contents", from.getFp32ContentsCount(), from::getFp32Contents);
            case FP64 ->
                new InputContents("fp64_contents", from.getFp64ContentsCount(), i -> type.of(from.getFp64Contents(i)));
            case BOOL ->
                new InputContents("bool_contents", from.getBoolContentsCount(), i -> from.getBoolContents(i) ? 1 : 0);
            case INT8, INT16, INT32 ->
                new InputContents("int_contents", from.getIntContentsCount(), i -> type.of(from.getIntContents(i)));
            case INT64 ->
                new InputContents(
                        "int64_contents", from.getInt64ContentsCount(), i -> type.of(from.getInt64Contents(i)));
            case UINT8, UINT16, UINT32 ->
                new InputContents(
                        "uint_contents",
                        from.getUintContentsCount(),
                        i -> type.of(Integer.toUnsignedLong(from.getUintContents(i))));
            case UINT64 ->
                new InputContents(
                        "uint64_contents",
                        from.getUint64ContentsCount(),
                        i -> Datatype.unsigned(from.getUint64Contents(i)));
            case FP16, BF16 ->
                throw new IllegalArgumentException("values of the datatype " + type
                        + " must be in raw_input_contents, because contents have no field for them");
        };
    }
}
