/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.nn.Precision;
import io.paritas.gpu.nn.Weights;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A network as launches, for batches of any size. Immutable; knows no GPU.
 *
 * @param input rows as the host has them: float32, in ONNX's order
 * @param output the same for the predictions
 * @param buffers what the values lie in
 * @param steps in the order in which they run
 * @param operators what each step is a part of, as in {@code Conv 'conv1'}
 * @param layerSteps the steps that are layers, in the order of the graph, which need not be that in which they run
 * @param checks how each step is checked
 * @param precision of all values but those of input and output
 */
record NetworkPlan(
        Value input,
        Value output,
        List<Buffer> buffers,
        List<Step> steps,
        List<String> operators,
        List<Integer> layerSteps,
        List<Check> checks,
        Precision precision) {
    /**
     * Memory for a tensor, or for what checks keep.
     *
     * @param values in each block of rows
     * @param each rows for each row of the network
     * @param block rows of a block
     */
    record Buffer(int values, Precision precision, int each, int block) {
        /** Values in each row of the network. */
        Buffer(int values, Precision precision) {
            this(values, precision, 1, 1);
        }

        long bytes(int rows) {
            return ((long) rows * each + block - 1) / block * values * precision.bytes();
        }
    }

    NetworkPlan {
        buffers = List.copyOf(buffers);
        steps = List.copyOf(steps);
        operators = List.copyOf(operators);
        layerSteps = List.copyOf(layerSteps);
        checks = List.copyOf(checks);
    }

    /** The same steps with other checks. */
    NetworkPlan with(List<Buffer> newBuffers, List<Check> newChecks) {
        return new NetworkPlan(input, output, newBuffers, steps, operators, layerSteps, newChecks, precision);
    }

    /** The same steps without values that are on the GPU by now. */
    NetworkPlan withoutConstants() {
        List<Step> lean = steps.stream().map(Step::withoutConstants).toList();
        return new NetworkPlan(input, output, buffers, lean, operators, layerSteps, checks, precision);
    }

    /** The operators that protection plans schemes for, in the order of the graph, as plans have it. */
    List<String> layers() {
        return layerSteps.stream().map(operators::get).toList();
    }

    /** Whether anything is checked. */
    boolean isChecked() {
        return checks.stream().anyMatch(check -> !(check instanceof Check.None));
    }

    /** How many comparisons the checks of a batch make. */
    long comparisons(int rows) {
        long comparisons = 0;
        for (int i = 0; i < steps.size(); i++) {
            if (checks.get(i) instanceof Check.SecondRun second) {
                comparisons += second.compares() ? 1 : 0;
            } else if (steps.get(i) instanceof Step.Product product && checks.get(i) instanceof Check.ByScheme check) {
                comparisons += check.scheme()
                        .comparisons(
                                Math.multiplyExact(rows, product.rows()),
                                product.matrix().columns());
            }
        }
        return comparisons;
    }

    /** How many rows of blocks the products of a batch have at most that count who has summed a part of them. */
    int arrivals(int rows) {
        return IntStream.range(0, steps.size())
                .filter(i -> checks.get(i) instanceof Check.ByScheme check
                        && check.blockSums().isPresent())
                .map(i -> Weights.blocks(Math.multiplyExact(rows, ((Step.Product) steps.get(i)).rows())))
                .max()
                .orElse(0);
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
            for (int kept : checks.get(i).buffers()) {
                first[kept] = Math.min(first[kept], i);
                last[kept] = i;
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
