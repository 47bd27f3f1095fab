/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.network.Check.ByScheme;
import io.paritas.gpu.network.Check.Measured;
import io.paritas.gpu.network.Check.SecondRun;
import io.paritas.gpu.network.NetworkPlan.Buffer;
import io.paritas.gpu.nn.CheckedWeights;
import io.paritas.gpu.nn.ImageWindow;
import io.paritas.gpu.nn.Precision;
import io.paritas.gpu.nn.Scheme;
import io.paritas.gpu.nn.Weights;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Adds checks to a plan (thesis, chapter 4): products are checked by schemes while they are computed, everything else runs twice. What a
 * scheme must know of a product's input, the product before measures while it stores its output, if it stores just that matrix.
 */
final class Checking {
    private final NetworkPlan plan;
    private final List<Buffer> buffers;
    private final List<Check> checks = new ArrayList<>();
    /** By the buffer that a product was the last to write: its number among the steps. */
    private final Map<Integer, Integer> products = new HashMap<>();
    /** By the buffer that is written, that of the second run. */
    private final Map<Integer, Integer> again = new HashMap<>();

    /** By buffer, the number of the last step that writes it. */
    private final Map<Integer, Integer> lastWrites = new HashMap<>();

    private Checking(NetworkPlan plan) {
        this.plan = plan;
        this.buffers = new ArrayList<>(plan.buffers());
        for (int i = 0; i < plan.steps().size(); i++) {
            lastWrites.put(plan.steps().get(i).output().buffer(), i);
        }
    }

    /**
     * A plan with the same steps, and checks.
     *
     * @param schemes one for each of {@link NetworkPlan#layers}; grouped convolutions run twice, whatever their scheme is
     */
    static NetworkPlan add(NetworkPlan plan, List<Scheme> schemes) {
        return new Checking(plan).plan(schemes);
    }

    private NetworkPlan plan(List<Scheme> schemes) {
        for (int i = 0; i < plan.steps().size(); i++) {
            Step step = plan.steps().get(i);
            if (step instanceof Step.Product product) {
                checks.add(byScheme(product, schemes.get(plan.layerSteps().indexOf(i))));
                products.put(product.output().buffer(), i);
            } else {
                checks.add(secondRun(step, i));
            }
        }
        return plan.with(buffers, checks);
    }

    private Check byScheme(Step.Product product, Scheme scheme) {
        if (!scheme.needsNorms()) {
            return new ByScheme(scheme, Optional.empty(), false, Optional.empty(), Optional.empty());
        }
        Optional<Integer> blockSums = scheme == Scheme.GLOBAL
                ? Optional.of(ofBlocks(
                        product.rows(),
                        CheckedWeights.sumsOfBlocks(product.matrix().columns())))
                : Optional.empty();
        Optional<Measured> known = measuredBefore(product);
        Measured measured = known.orElseGet(() -> measured(product, 1));
        return new ByScheme(scheme, Optional.of(measured), known.isEmpty(), blockSums, Optional.empty());
    }

    /** Lets the product that has written just these rows, or pixels, measure them, unless it has been told already. */
    private Optional<Measured> measuredBefore(Step.Product product) {
        Integer writer = products.get(product.input().buffer());
        if (writer == null || !(checks.get(writer) instanceof ByScheme check)) {
            return Optional.empty();
        }
        Step.Product before = (Step.Product) plan.steps().get(writer);
        if (before.rows() != measuredRows(product) || before.matrix().columns() != measuredColumns(product)) {
            return Optional.empty();
        }
        if (check.next().isEmpty()) {
            int parts = Weights.blocks(before.matrix().columns());
            checks.set(writer, check.measuring(measured(product, parts)));
        }
        return ((ByScheme) checks.get(writer)).next();
    }

    private Measured measured(Step.Product product, int parts) {
        return new Measured(add(new Buffer(Math.multiplyExact(measuredRows(product), parts), Precision.SINGLE)), parts);
    }

    /** Rows of A, or pixels, for each row of the network. */
    private static int measuredRows(Step.Product product) {
        return product.window().map(ImageWindow::pixels).orElse(product.rows());
    }

    private static int measuredColumns(Step.Product product) {
        return product.window()
                .map(ImageWindow::channels)
                .orElse(product.matrix().depth());
    }

    private Check secondRun(Step step, int number) {
        int written = step.output().buffer();
        products.remove(written);
        int copy = again.computeIfAbsent(written, buffer -> add(plan.buffers().get(buffer)));
        return new SecondRun(copy, lastWrites.get(written) == number);
    }

    /** Values for each block of rows of a product that has rows for each row of the network. */
    private int ofBlocks(int rows, int values) {
        return add(new Buffer(values, Precision.SINGLE, rows, Weights.BLOCK));
    }

    private int add(Buffer buffer) {
        buffers.add(buffer);
        return buffers.size() - 1;
    }
}
