/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.nn.Precision;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A network as launches, for batches of any size. Immutable; knows no GPU.
 *
 * @param input rows as the host has them: float32, in ONNX's order
 * @param output the same for the predictions
 * @param buffers what the values lie in
 * @param steps in the order in which they run
 * @param precision of all buffers but those of input and output
 */
record NetworkPlan(Value input, Value output, List<Buffer> buffers, List<Step> steps, Precision precision) {
    /**
     * Memory for a tensor.
     *
     * @param values in a row
     */
    record Buffer(int values, Precision precision) {
        long bytes(int rows) {
            return (long) rows * values * precision.bytes();
        }
    }

    NetworkPlan {
        buffers = List.copyOf(buffers);
        steps = List.copyOf(steps);
    }

    Buffer buffer(Value value) {
        return buffers.get(value.buffer());
    }

    /** When each buffer is in use, and how large it is for a batch. The input is there before the first step, the output after the last. */
    List<Arena.Use> uses(int rows) {
        int[] first = new int[buffers.size()];
        int[] last = new int[buffers.size()];
        Arrays.fill(first, steps.size());
        for (int i = 0; i < steps.size(); i++) {
            int written = steps.get(i).output().buffer();
            first[written] = Math.min(first[written], i);
            last[written] = Math.max(last[written], i);
            for (Value read : steps.get(i).reads()) {
                last[read.buffer()] = i;
            }
        }
        first[input.buffer()] = -1;
        last[output.buffer()] = steps.size();
        List<Arena.Use> uses = new ArrayList<>();
        for (int i = 0; i < buffers.size(); i++) {
            uses.add(new Arena.Use(first[i], last[i], buffers.get(i).bytes(rows)));
        }
        return uses;
    }

    /** The arena of a batch, with a place for each buffer. */
    Arena arena(int rows) {
        return Arena.of(uses(rows));
    }
}
