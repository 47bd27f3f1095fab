/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.inference.graph.LayerCost;
import java.util.List;
import java.util.Locale;

/**
 * A forecast of what folding does to a network.
 *
 * @param layers convolutions and linear layers of the original network
 * @param forecasts a forecast for each requested fold, in that order
 * @param fold the recommended one; 1 if folding does not help
 * @param reason for the recommendation, in a sentence
 */
public record FoldPlan(List<Layer> layers, List<Forecast> forecasts, int fold, String reason) {

    /**
     * A layer of the original network.
     *
     * @param cost costs for the batch
     * @param bandwidthBound whether its intensity is below the ratio of the device
     * @param helpedBy the folds that would lower its memory traffic (thesis, inequality 9.5)
     */
    public record Layer(LayerCost cost, boolean bandwidthBound, List<Integer> helpedBy) {}

    /**
     * A folded network.
     *
     * @param fold images in a stack
     * @param intensity aggregate operations per byte
     * @param operations operations for the batch, divided by those of the original
     * @param bytes memory traffic for the batch, divided by that of the original
     * @param speedUp speed-up by the roofline model, which ignores tiles, caches and launches. On a V100, the thesis measured more
     *     for small layers (N1 by 4: 2.51, here 1.76) and less for channels that fit no tiles (N4 by 2: 0.90, here 1.08), so
     *     measure with zero weights before training
     */
    public record Forecast(int fold, double intensity, double operations, double bytes, double speedUp) {

        /** The speed-up for equal operations: without the effect of rounding to fewer channels, which costs accuracy. */
        public double speedUpForEqualWork() {
            return speedUp * Math.min(1, operations);
        }
    }

    /** Copies the lists. */
    public FoldPlan {
        layers = List.copyOf(layers);
        forecasts = List.copyOf(forecasts);
    }

    /** The plan as tables: the layers, the forecasts, and the recommendation. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%-24s  %9s  %-10s  %s%n",
                "layer",
                "ops/byte",
                "bound by",
                "folds that move fewer bytes"));
        for (Layer layer : layers) {
            text.append(String.format(
                    Locale.ROOT,
                    "%-24s  %9.1f  %-10s  %s%n",
                    layer.cost().node().output(),
                    layer.cost().intensity(),
                    layer.bandwidthBound() ? "memory" : "arithmetic",
                    layer.helpedBy().isEmpty() ? "none" : layer.helpedBy()));
        }
        text.append(String.format(
                Locale.ROOT,
                "%n%4s  %9s  %10s  %7s  %s%n",
                "fold",
                "ops/byte",
                "operations",
                "bytes",
                "speed-up by roofline"));
        for (Forecast forecast : forecasts) {
            text.append(String.format(
                    Locale.ROOT,
                    "%4d  %9.1f  %10.2f  %7.2f  %.2f%n",
                    forecast.fold(),
                    forecast.intensity(),
                    forecast.operations(),
                    forecast.bytes(),
                    forecast.speedUp()));
        }
        return text.append(String.format(Locale.ROOT, "%nfold %d: %s", fold, reason))
                .toString();
    }
}
