/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.onnx;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import io.paritas.inference.ModelException;
import io.paritas.inference.TensorSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Input and output of a session.
 *
 * @param input input of one row
 * @param output output of one row
 * @param batch the number of rows that the model was exported for, or {@link #ANY}
 */
record Signature(TensorSpec input, TensorSpec output, int batch) {
    static final int ANY = 0;

    /** @param passed outputs that are passed over */
    static Signature of(OrtSession session, Set<String> passed) {
        try {
            NodeInfo input = only("input", session.getInputInfo().values());
            NodeInfo output = only(
                    "output",
                    session.getOutputInfo().values().stream()
                            .filter(value -> !passed.contains(value.getName()))
                            .toList());
            return new Signature(spec("input", input), spec("output", output), batch(input, output));
        } catch (OrtException e) {
            throw new ModelException("onnxruntime cannot tell the inputs and outputs of a model: " + e.getMessage(), e);
        }
    }

    private static NodeInfo only(String what, Collection<NodeInfo> values) {
        if (values.size() == 1) {
            NodeInfo value = values.iterator().next();
            if (value.getInfo() instanceof TensorInfo tensor && tensor.type == OnnxJavaType.FLOAT) {
                return value;
            }
        }
        throw new ModelException("a model must have one " + what + ", of float32; this one has "
                + (values.isEmpty()
                        ? "none"
                        : values.stream().map(Signature::text).collect(Collectors.joining(", ")))
                + ": export a network from one tensor to one tensor, and convert types inside it");
    }

    private static TensorSpec spec(String what, NodeInfo value) {
        long[] sizes = tensor(value).getShape();
        if (sizes.length == 0 || Arrays.stream(sizes).skip(1).anyMatch(size -> size < 1 || size > Integer.MAX_VALUE)) {
            throw new ModelException("every dimension of the " + what + " after the batch must be fixed, got "
                    + text(value) + ": export with fixed sizes, only the batch may vary");
        }
        List<Integer> shape = new ArrayList<>();
        Arrays.stream(sizes).skip(1).forEach(size -> shape.add((int) size));
        return new TensorSpec(value.getName(), shape);
    }

    /** The fixed batch size; fixed on one side, it holds for both. */
    private static int batch(NodeInfo input, NodeInfo output) {
        long in = Math.max(ANY, tensor(input).getShape()[0]);
        long out = Math.max(ANY, tensor(output).getShape()[0]);
        if (in != ANY && out != ANY && in != out) {
            throw new ModelException("a model must give one output row for each input row, this one makes "
                    + text(output) + " of " + text(input));
        }
        return Math.toIntExact(Math.max(in, out));
    }

    private static TensorInfo tensor(NodeInfo value) {
        return (TensorInfo) value.getInfo();
    }

    /** For messages: {@code pixels FLOAT (batch, 1, ?, 28)}. */
    private static String text(NodeInfo value) {
        if (!(value.getInfo() instanceof TensorInfo tensor)) {
            return value.getName() + " " + value.getInfo();
        }
        String[] names = tensor.getDimensionNames();
        long[] sizes = tensor.getShape();
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < sizes.length; i++) {
            String name = names[i].isEmpty() ? "?" : names[i];
            texts.add(sizes[i] < 0 ? name : String.valueOf(sizes[i]));
        }
        return value.getName() + " " + tensor.type + texts.stream().collect(Collectors.joining(", ", " (", ")"));
    }
}
