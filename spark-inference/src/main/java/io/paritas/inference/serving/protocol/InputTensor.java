/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.ServedModel;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * What a request says of the input of a model, without the values.
 *
 * @param spec of one row
 * @param datatype of the values
 * @param rows at least 1
 */
public record InputTensor(TensorSpec spec, Datatype datatype, int rows) {
    /** The parameter of an input or output whose values are in memory that client and server share. */
    public static final String SHARED_MEMORY = "shared_memory_region";

    /** The parameter of an output that is wanted as classes. */
    public static final String CLASSIFICATION = "classification";

    /**
     * Checks what a request says.
     *
     * @param sizes of the shape, rows first; others than whole numbers as -1
     * @param given the shape as it was given, for the message
     * @throws IllegalArgumentException if it is not the input of the model, or has more rows than the model takes at once
     */
    public static InputTensor of(ServedModel model, String name, String datatype, List<Long> sizes, Object given) {
        TensorSpec spec = model.input();
        if (!name.equals(spec.name())) {
            throw new IllegalArgumentException(
                    "the input of the model " + model + " must be '" + spec.name() + "', got '" + name + "'");
        }
        Datatype type = Datatype.of(name, datatype);
        List<Integer> wanted = spec.shape();
        boolean fits = sizes.size() == wanted.size() + 1 && sizes.get(0) >= 1 && sizes.get(0) <= Integer.MAX_VALUE;
        for (int i = 0; fits && i < wanted.size(); i++) {
            fits = sizes.get(i + 1) == wanted.get(i).longValue();
        }
        if (!fits) {
            List<Object> expected = new ArrayList<>(List.of("rows"));
            expected.addAll(wanted);
            throw new IllegalArgumentException(
                    "the input '" + name + "' must have the shape " + expected + " with at least 1 row, got " + given);
        }
        int rows = sizes.get(0).intValue();
        model.requireAtOnce(rows); // before memory is allocated for them
        return new InputTensor(spec, type, rows);
    }

    /**
     * Refuses extensions of the protocol that this server has not.
     *
     * @param parameters the names of the parameters of an input or output
     * @throws IllegalArgumentException if one of them is one of such an extension
     */
    public static void requireKnown(String tensor, Iterable<String> parameters) {
        for (String parameter : parameters) {
            if (parameter.equals(SHARED_MEMORY)) {
                throw new IllegalArgumentException("the values of '" + tensor
                        + "' must be in the request or reply, this server shares no memory with clients: leave out the"
                        + " parameter " + parameter);
            }
        }
    }

    /** The number of values of all rows. */
    public long values() {
        return (long) rows * spec.size();
    }

    /** The number of bytes of all rows. */
    public long bytes() {
        return values() * datatype.bytes();
    }

    /**
     * Reads the rows.
     *
     * @param values {@link #bytes} bytes, little-endian and row-major
     * @throws IllegalArgumentException if a value is not one that FP32 has
     */
    public List<float[]> read(ByteBuffer values) {
        return datatype.read(values.order(ByteOrder.LITTLE_ENDIAN), rows, spec.size());
    }
}
