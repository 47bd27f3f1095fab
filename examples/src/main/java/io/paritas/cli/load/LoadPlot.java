/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import io.paritas.cli.result.Charts;
import io.paritas.cli.result.ResultFile;
import java.awt.Color;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A plot of the distribution of latencies for each rate, with an axis of percentiles that shows the tail. */
final class LoadPlot {
    /** The axis ends at 99.99 %. */
    private static final int NINES = 4;

    private static final int STEPS = 200;
    private static final Color[] COLOURS = {
        new Color(0x9e3d22), new Color(0xe49444), new Color(0x6a9f58), new Color(0x24567a), new Color(0x6fa0c8)
    };

    private LoadPlot() {}

    /** Writes a PNG. The file's name ends in {@code .png}. */
    static void write(String title, List<RateResult> all, ResultFile file) throws IOException {
        XYChart chart = Charts.wide(title, "% of the queries that were answered by then", "latency, ms");
        chart.getStyler()
                .setYAxisLogarithmic(true)
                .setYAxisLogarithmicDecadeOnly(false)
                .setXAxisLogarithmic(true)
                .setXAxisTickLabelsFormattingFunction(LoadPlot::label);
        for (int i = 0; i < all.size(); i++) {
            // A rate can be measured twice, but names must differ.
            String name = String.format(
                    Locale.ROOT, "%d: %s queries/s", i + 1, all.get(i).rate());
            add(chart, name, all.get(i), COLOURS[i % COLOURS.length]);
        }
        Charts.write(chart, file);
    }

    private static void add(XYChart chart, String name, RateResult measured, Color colour) {
        List<Double> of = new ArrayList<>();
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i <= STEPS; i++) {
            double queries = Math.pow(10, i * NINES / (double) STEPS);
            OptionalDouble latency = measured.percentile(percent(queries));
            if (latency.isPresent()) {
                of.add(queries);
                millis.add(latency.getAsDouble());
            }
        }
        if (!of.isEmpty()) {
            XYSeries series = chart.addSeries(name, of, millis);
            series.setMarker(SeriesMarkers.NONE);
            series.setLineColor(colour);
        }
    }

    /** All but one of so many queries. */
    private static double percent(double queries) {
        return 100 * (1 - 1 / queries);
    }

    private static String label(double queries) {
        return String.format(Locale.ROOT, "%.2f", percent(queries)).replaceFirst("\\.?0+$", "");
    }
}
