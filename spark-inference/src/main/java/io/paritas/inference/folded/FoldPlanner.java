/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.inference.folded.FoldOptions.Rounding;
import io.paritas.inference.graph.Costs;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.LayerCost;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Plans whether folding helps a network on a device (thesis, 9.2 and 9.3), and when less accuracy pays off (9.5.2). */
public final class FoldPlanner {
    private static final List<Integer> FOLDS = List.of(2, 3, 4);

    /** The least useful speed-up: less is within the error of the roofline model. */
    private static final double WORTH = 1.05;

    private FoldPlanner() {}

    /**
     * Plans folds of 2, 3 and 4 with √f times the channels.
     *
     * @param graph the original network
     * @param rows rows of a batch of the original network
     * @throws io.paritas.inference.ModelException if the network cannot be folded
     */
    public static FoldPlan plan(Graph graph, int rows, DeviceProfile device, Rounding rounding) {
        Costs costs = Costs.of(graph, rows, device.elementBytes());
        Map<String, List<Integer>> shapes = graph.shapes();
        List<FoldPlan.Layer> layers = costs.layers().stream()
                .filter(LayerCost::linear)
                .map(cost -> layer(cost, shapes, rows, device))
                .toList();
        List<FoldPlan.Forecast> forecasts = FOLDS.stream()
                .map(fold -> forecast(graph, costs, fold, rows, device, rounding))
                .toList();
        FoldPlan.Forecast best = forecasts.stream()
                .max(Comparator.comparingDouble(FoldPlan.Forecast::speedUpForEqualWork))
                .orElseThrow();
        boolean worth = best.speedUpForEqualWork() >= WORTH;
        return new FoldPlan(layers, forecasts, worth ? best.fold() : 1, reason(layers, costs, best, rows, device));
    }

    private static FoldPlan.Layer layer(
            LayerCost cost, Map<String, List<Integer>> shapes, int rows, DeviceProfile device) {
        List<Integer> in = shapes.get(cost.node().input(0));
        int inputs = in.get(0);
        int outputs = cost.outputShape().get(0);
        long activations = (size(in) + size(cost.outputShape())) * rows;
        double places = (double) activations / (inputs + outputs);
        List<Integer> helpedBy = FOLDS.stream()
                .filter(fold -> places > leastPlaces(fold, cost.weights(), inputs, outputs))
                .toList();
        return new FoldPlan.Layer(cost, cost.intensity() < device.cmr(), helpedBy);
    }

    private static FoldPlan.Forecast forecast(
            Graph graph, Costs original, int fold, int rows, DeviceProfile device, Rounding rounding) {
        Graph folded = Folding.fold(graph, FoldOptions.of(fold).withRounding(rounding));
        Costs costs = Costs.of(folded, Stacks.count(rows, fold), device.elementBytes());
        return new FoldPlan.Forecast(
                fold,
                costs.intensity(),
                (double) costs.operations() / original.operations(),
                (double) costs.bytes() / original.bytes(),
                seconds(original, device) / seconds(costs, device));
    }

    private static double seconds(Costs costs, DeviceProfile device) {
        return costs.layers().stream()
                .mapToDouble(layer -> device.seconds(layer.operations(), layer.bytes()))
                .sum();
    }

    private static String reason(
            List<FoldPlan.Layer> layers, Costs costs, FoldPlan.Forecast best, int rows, DeviceProfile device) {
        long waiting = layers.stream().filter(FoldPlan.Layer::bandwidthBound).count();
        String facts = String.format(
                Locale.ROOT,
                "at %d rows the network has %.1f operations per byte, and %d of %d layers wait for the memory of %s",
                rows,
                costs.intensity(),
                waiting,
                layers.size(),
                device);
        boolean worth = best.speedUpForEqualWork() >= WORTH;
        return String.format(
                Locale.ROOT,
                worth
                        ? "fold by %d: %s; folded it has %.1f, which by the roofline model is %.2f times as fast"
                        : "do not fold, not even by %d: %s; folded it has %.1f, which by the roofline model is only"
                                + " %.2f times as fast",
                best.fold(),
                facts,
                best.intensity(),
                best.speedUpForEqualWork());
    }

    /**
     * The bound of the folding inequality (thesis, inequality 9.5): a layer's memory traffic falls if rows × height × width is
     * greater.
     *
     * @param weights weights of the layer without bias: C_i·K_H·K_W·C_o, divided by the groups
     * @param inputs input channels, C_i
     * @param outputs output channels, C_o
     */
    public static double leastPlaces(int fold, long weights, int inputs, int outputs) {
        if (fold < 2) {
            throw new IllegalArgumentException("the fold must be at least 2, got " + fold);
        }
        return (fold - 1.0) * weights / ((1 - 1 / Math.sqrt(fold)) * (inputs + (double) outputs));
    }

    /**
     * The break-even of a cascade: a faster but less accurate special model pays off if the general model is at most
     * (1 − 1/x) / a times slower than the special one (thesis, 9.5.2).
     *
     * @param speedUp x of the special model, more than 1
     * @param accuracyLoss a, as a fraction: 0.0021 for 0.21 points
     * @return infinity if no accuracy is lost
     */
    public static double breakEven(double speedUp, double accuracyLoss) {
        if (!(speedUp > 1) || !(accuracyLoss >= 0) || accuracyLoss > 1) {
            throw new IllegalArgumentException(
                    "the speed-up must be above 1 and the loss of accuracy between 0 and 1, got " + speedUp + " and "
                            + accuracyLoss);
        }
        return (1 - 1 / speedUp) / accuracyLoss;
    }

    private static long size(List<Integer> shape) {
        return shape.stream().mapToLong(Integer::longValue).reduce(1, Math::multiplyExact);
    }
}
