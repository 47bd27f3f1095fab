/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import io.paritas.cli.result.Charts;
import io.paritas.cli.result.ResultFile;
import io.paritas.inference.protect.ProtectionPlan;
import io.paritas.inference.protect.ProtectionPlan.Layer;
import java.awt.Color;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A plot of a plan: what each scheme costs in each layer, by arithmetic intensity, and where the device waits for memory no more. */
final class PlanPlot {
    private static final List<String> SCHEMES = List.of("global", "thread", "two-sided");
    private static final Color[] COLOURS = {new Color(0x24567a), new Color(0x9e3d22), new Color(0xe49444)};

    private PlanPlot() {}

    /** Writes a PNG. The file's name ends in {@code .png}. */
    static void write(ProtectionPlan plan, ResultFile file) throws IOException {
        XYChart chart = Charts.wide(
                "Checks of the layers, batches of " + plan.rows() + ", on "
                        + plan.device().name(),
                "arithmetic intensity, operations for each byte",
                "cost, % of the layer without a check");
        chart.getStyler()
                .setDefaultSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter)
                .setXAxisLogarithmic(true);
        List<Double> intensities = plan.layers().stream().map(Layer::intensity).toList();
        for (int i = 0; i < SCHEMES.size(); i++) {
            String scheme = SCHEMES.get(i);
            chart.addSeries(scheme, intensities, costs(plan, scheme)).setMarkerColor(COLOURS[i]);
        }
        addRatio(chart, plan);
        Charts.write(chart, file);
    }

    /** In percent. */
    private static List<Double> costs(ProtectionPlan plan, String scheme) {
        return plan.layers().stream().map(layer -> 100 * layer.cost(scheme)).toList();
    }

    /** A line where the device's operations take as long as its memory. */
    private static void addRatio(XYChart chart, ProtectionPlan plan) {
        double ratio = plan.device().ratio();
        double most =
                SCHEMES.stream().flatMap(scheme -> costs(plan, scheme).stream()).reduce(1.0, Math::max);
        chart.addSeries(
                        String.format(Locale.ROOT, "the device's ratio, %.1f", ratio),
                        List.of(ratio, ratio),
                        List.of(0.0, most))
                .setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Line)
                .setMarker(SeriesMarkers.NONE)
                .setLineColor(Color.GRAY);
    }
}
