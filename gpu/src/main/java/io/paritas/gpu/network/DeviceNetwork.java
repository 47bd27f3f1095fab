/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.Closings;
import io.paritas.gpu.Launch;
import io.paritas.gpu.nn.Activation;
import io.paritas.gpu.nn.CheckedWeights;
import io.paritas.gpu.nn.CheckedWeights.BlockSums;
import io.paritas.gpu.nn.CheckedWeights.Checks;
import io.paritas.gpu.nn.CheckedWeights.Measures;
import io.paritas.gpu.nn.DeviceValues;
import io.paritas.gpu.nn.NetworkLaunches;
import io.paritas.gpu.nn.NetworkLaunches.Counted;
import io.paritas.gpu.nn.NetworkLaunches.GroupWeights;
import io.paritas.gpu.nn.NetworkLaunches.Operands;
import io.paritas.gpu.nn.NetworkLaunches.Target;
import io.paritas.gpu.nn.Precision;
import io.paritas.gpu.nn.Scheme;
import io.paritas.gpu.nn.SplitK;
import io.paritas.gpu.nn.Verdicts;
import io.paritas.gpu.nn.Weights;
import io.paritas.inference.ModelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A network whose weights are on the GPU, packed as the kernels read them. Makes launches for any batch and any arena. Immutable and
 * thread-safe, until closed.
 */
final class DeviceNetwork implements AutoCloseable {
    private final NetworkPlan plan;
    private final Closings memories = new Closings();
    private final List<CheckedMaker> makers = new ArrayList<>();

    /** A step whose constants are on the GPU. */
    private interface Maker {
        Launch make(Batch batch);
    }

    /** The same for a step with its checks. */
    private interface CheckedMaker {
        List<Launch> make(Batch batch);
    }

    /**
     * A batch in memory.
     *
     * @param rows of the network
     * @param base address of the arena
     * @param standing address of {@link #standingBytes}
     * @param verdicts empty if nothing is checked
     * @param instead where the values of a buffer are written instead
     */
    private record Batch(
            NetworkPlan plan,
            int rows,
            Arena arena,
            long base,
            long standing,
            Optional<Verdicts> verdicts,
            Map<Integer, Integer> instead) {
        long splitK() {
            return standing;
        }

        long arrivals() {
            return standing + SplitK.bytes();
        }

        long address(int buffer) {
            return base + arena.offsets().get(instead.getOrDefault(buffer, buffer));
        }

        long address(Value value) {
            return address(value.buffer());
        }

        Measures measures(Optional<Check.Measured> measured) {
            return measured.map(some -> new Measures(address(some.squares()), some.parts()))
                    .orElse(Measures.NONE);
        }

        long verdict(int step) {
            return verdicts.map(places -> places.address(step)).orElse(0L);
        }

        Batch instead(int buffer, int other) {
            return new Batch(plan, rows, arena, base, standing, verdicts, Map.of(buffer, other));
        }

        /**
         * Where a step reads and writes.
         *
         * @param each rows of the launch for each row of the network
         */
        Target target(Value input, Value output, int each, Activation activation, Optional<Value> addend) {
            return new Target(
                    address(input),
                    Math.multiplyExact(rows, each),
                    address(output),
                    plan.buffer(output).precision(),
                    addend.map(this::address).orElse(0L),
                    activation);
        }

        Target target(Value input, Value output, int each) {
            return target(input, output, each, Activation.NONE, Optional.empty());
        }
    }

    /**
     * Uploads a network; the thread is bound to the GPU.
     *
     * @throws io.paritas.gpu.GpuException if there is not enough memory
     * @throws ModelException if a scheme cannot check a layer
     */
    DeviceNetwork(NetworkPlan plan) {
        this.plan = plan.withoutConstants();
        try {
            for (int i = 0; i < plan.steps().size(); i++) {
                makers.add(checked(plan.steps().get(i), i));
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** The network without its constants. */
    NetworkPlan plan() {
        return plan;
    }

    /** Bytes of what products need besides the arena for batches of up to so many rows: counters, and sums of slices. */
    long standingBytes(int rows) {
        return SplitK.bytes() + (long) plan.arrivals(rows) * Integer.BYTES;
    }

    /**
     * The launches of a batch, in their order.
     *
     * @param base address of the arena
     * @param standing address of {@link #standingBytes}, 0 before the first batch, that nothing else writes
     * @param verdicts places for what the checks of each step find; empty if nothing is checked
     */
    List<Launch> launches(int rows, Arena arena, long base, long standing, Optional<Verdicts> verdicts) {
        Batch batch = new Batch(plan, rows, arena, base, standing, verdicts, Map.of());
        return makers.stream().flatMap(maker -> maker.make(batch).stream()).toList();
    }

    private CheckedMaker checked(Step step, int number) {
        Check check = plan.checks().get(number);
        if (step instanceof Step.Product product) {
            return product(product, check instanceof Check.ByScheme scheme ? scheme : Check.ByScheme.NONE, number);
        }
        Maker once = maker(step);
        return check instanceof Check.SecondRun second
                ? twice(once, step.output().buffer(), second, number)
                : batch -> List.of(once.make(batch));
    }

    private CheckedMaker twice(Maker once, int written, Check.SecondRun check, int number) {
        long bytes = plan.buffers().get(written).bytes(1);
        return batch -> {
            List<Launch> launches = new ArrayList<>();
            launches.add(once.make(batch));
            launches.add(once.make(batch.instead(written, check.again())));
            if (check.compares()) {
                launches.add(NetworkLaunches.compare(
                        batch.address(written),
                        batch.address(check.again()),
                        batch.rows() * bytes,
                        batch.verdict(number)));
            }
            return launches;
        };
    }

    private Maker maker(Step step) {
        if (step instanceof Step.GroupedConvolution convolution) {
            return groups(convolution);
        } else if (step instanceof Step.Combine combine) {
            return combine(combine);
        } else if (step instanceof Step.Pool pool) {
            return batch -> pool(pool, batch);
        } else if (step instanceof Step.Softmax softmax) {
            int lines = softmax.input().size() / softmax.size();
            return batch -> NetworkLaunches.softmax(
                    plan.precision(),
                    softmax.size(),
                    softmax.inner(),
                    batch.target(softmax.input(), softmax.output(), lines));
        } else if (step instanceof Step.Arrange arrange) {
            return batch -> NetworkLaunches.arrange(
                    plan.buffer(arrange.input()).precision(),
                    arrange.input().size(),
                    arrange.input().channels(),
                    arrange.output().channels(),
                    batch.target(arrange.input(), arrange.output(), 1));
        } else if (step instanceof Step.Widen widen) {
            Value images = widen.input();
            return batch -> NetworkLaunches.widen(
                    plan.buffer(images).precision(),
                    images.shape().get(0),
                    images.channels(),
                    widen.output().shape().get(0),
                    Value.size(images.shape().subList(1, 3)),
                    batch.target(images, widen.output(), 1));
        } else if (step instanceof Step.Spread spread) {
            int runs = spread.input().size() / spread.run();
            return batch -> NetworkLaunches.spread(
                    plan.precision(),
                    spread.run(),
                    spread.stride(),
                    spread.offset(),
                    batch.target(spread.input(), spread.output(), runs));
        }
        throw new AssertionError("every kind of step has launches, " + step.kind() + " has none");
    }

    private CheckedMaker product(Step.Product given, Check.ByScheme check, int number) {
        Step.Matrix matrix = given.matrix();
        Weights weights = memories.add(
                new Weights(
                        plan.precision(),
                        matrix.depth(),
                        matrix.columns(),
                        matrix.entries(),
                        matrix.bias(),
                        check.scheme() != Scheme.NONE),
                Weights::close);
        CheckedWeights checked = memories.add(checked(weights, check.scheme(), number), CheckedWeights::close);
        Step.Product step = given.withoutConstants();
        Step.Finish finish = step.finish();
        return batch -> NetworkLaunches.product(
                checked,
                step.window(),
                batch.target(step.input(), step.output(), step.rows(), finish.activation(), finish.addend()),
                batch.splitK(),
                new Checks(
                        batch.measures(check.measured()),
                        check.blockSums()
                                .map(sums -> new BlockSums(batch.address(sums), batch.arrivals()))
                                .orElse(BlockSums.NONE),
                        batch.measures(check.next()),
                        batch.verdict(number)),
                check.measures());
    }

    private CheckedWeights checked(Weights weights, Scheme scheme, int number) {
        try {
            return new CheckedWeights(weights, scheme);
        } catch (IllegalArgumentException e) {
            throw new ModelException("gpu cannot check " + plan.operators().get(number) + ": " + e.getMessage(), e);
        }
    }

    private Maker groups(Step.GroupedConvolution given) {
        Step.Matrix matrix = given.matrix();
        float[] values = new float[matrix.depth() * matrix.columns()];
        for (int i = 0; i < values.length; i++) {
            values[i] = matrix.entries().at(i / matrix.columns(), i % matrix.columns());
        }
        GroupWeights weights = new GroupWeights(
                plan.precision(),
                upload(values, plan.precision()),
                upload(matrix.bias(), Precision.SINGLE),
                given.groups(),
                matrix.columns());
        Step.GroupedConvolution step = given.withoutConstants();
        Step.Finish finish = step.finish();
        int places = step.window().positions();
        return batch -> NetworkLaunches.groupedConvolution(
                weights,
                step.window(),
                batch.target(step.input(), step.output(), places, finish.activation(), finish.addend()));
    }

    private Launch pool(Step.Pool step, Batch batch) {
        Target target = batch.target(
                step.input(), step.output(), step.window().positions(), step.activation(), Optional.empty());
        return switch (step.pooling()) {
            case MAX -> NetworkLaunches.maxPool(plan.precision(), step.window(), target);
            case MEAN -> NetworkLaunches.meanPool(plan.precision(), step.window(), Counted.IMAGE, target);
            case MEAN_WITH_ZEROS -> NetworkLaunches.meanPool(plan.precision(), step.window(), Counted.PADDING, target);
        };
    }

    private Maker combine(Step.Combine given) {
        long constants = given.right()
                .value()
                .map(value -> 0L)
                .orElseGet(() -> upload(given.right().constants(), plan.precision()));
        Step.Combine step = given.withoutConstants();
        Value left = step.left().value().orElseThrow();
        return batch -> {
            long right = step.right().value().map(batch::address).orElse(constants);
            Operands operands = new Operands(
                    step.operation(),
                    right,
                    step.sizes(),
                    step.left().strides(),
                    step.right().strides());
            return NetworkLaunches.combine(
                    plan.precision(),
                    operands,
                    batch.target(left, step.output(), 1, step.activation(), Optional.empty()));
        };
    }

    private long upload(float[] values, Precision precision) {
        return memories.add(DeviceValues.upload(precision, values)).address();
    }

    /** Frees the weights; no launch may run any more. The thread is bound to the GPU. */
    @Override
    public void close() {
        memories.close();
    }
}
