/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import io.paritas.cli.result.ResultFile;
import io.paritas.inference.protect.ProtectionPlan;
import io.paritas.inference.protect.ProtectionPlan.Layer;
import java.awt.Color;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A plot of a plan: what each scheme costs in each layer, by arithmetic intensity, and where the device waits for memory no more. */
final class PlanPlot {
    private static final int WIDTH = 1200;
    private static final int HEIGHT = 560;
    private static final List<String> SCHEMES = List.of("global", "thread", "two-sided");
    private static final Color[] COLOURS = {new Color(0x24567a), new Color(0x9e3d22), new Color(0xe49444)};

    private PlanPlot() {}

    /** Writes a PNG. The file's name ends in {@code .png}. */
    static void write(ProtectionPlan plan, ResultFile file) throws IOException {
        System.setProperty("java.awt.headless", "true");
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title("Checks of the layers, batches of " + plan.rows() + ", on "
                        + plan.device().name())
                .xAxisTitle("arithmetic intensity, operations for each byte")
                .yAxisTitle("cost, % of the layer without a check")
                .build();
        chart.getStyler()
                .setDefaultSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter)
                .setXAxisLogarithmic(true)
                .setLegendPosition(Styler.LegendPosition.OutsideE)
                .setChartBackgroundColor(Color.WHITE);
        for (int i = 0; i < SCHEMES.size(); i++) {
            String scheme = SCHEMES.get(i);
            List<Layer> measured = plan.layers().stream()
                    .filter(layer -> layer.seconds().containsKey(scheme))
                    .toList();
            if (!measured.isEmpty()) {
                chart.addSeries(
                                scheme,
                                measured.stream().map(Layer::intensity).toList(),
                                measured.stream()
                                        .map(layer -> 100 * layer.cost(scheme))
                                        .toList())
                        .setMarkerColor(COLOURS[i]);
            }
        }
        addRatio(chart, plan);
        file.write(out -> BitmapEncoder.saveBitmap(chart, out, BitmapEncoder.BitmapFormat.PNG));
    }

    /** A line where the device's operations take as long as its memory. */
    private static void addRatio(XYChart chart, ProtectionPlan plan) {
        double ratio = plan.device().ratio();
        double most = plan.layers().stream()
                .flatMapToDouble(layer -> SCHEMES.stream()
                        .filter(layer.seconds()::containsKey)
                        .mapToDouble(scheme -> 100 * layer.cost(scheme)))
                .max()
                .orElse(1);
        chart.addSeries(
                        String.format(Locale.ROOT, "the device's ratio, %.1f", ratio),
                        List.of(ratio, ratio),
                        List.of(0.0, Math.max(1, most)))
                .setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Line)
                .setMarker(SeriesMarkers.NONE)
                .setLineColor(Color.GRAY);
    }
}
