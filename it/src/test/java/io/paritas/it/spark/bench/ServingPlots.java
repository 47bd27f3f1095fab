/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.cli.result.Charts;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Pictures of latencies. */
final class ServingPlots {
    /** Percentiles that are written and drawn: 0 to 90, then each nine in nine steps. */
    static final double[] LEVELS = IntStream.rangeClosed(0, 36)
            .mapToDouble(step -> 100 * (1 - Math.pow(10, -step / 9.0)))
            .toArray();

    private ServingPlots() {}

    /** Latencies by percentile, the tail as wide as the rest: the median of the seeds. */
    static void tails(String title, Map<String, List<Latencies>> byPolicy, Path file) throws IOException {
        XYChart chart = chart(title, "% of queries that take no longer", "ms");
        chart.getStyler().setYAxisLogarithmic(true).setYAxisLogarithmicDecadeOnly(false);
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setxAxisTickLabelsFormattingFunction(ServingPlots::percent);
        double[] x = IntStream.rangeClosed(0, 36)
                .mapToDouble(step -> Math.pow(10, step / 9.0))
                .toArray();
        byPolicy.forEach((policy, seeds) -> {
            double[] y = Arrays.stream(LEVELS)
                    .map(level -> {
                        double[] sorted = seeds.stream()
                                .mapToDouble(one -> one.percentile(level))
                                .sorted()
                                .toArray();
                        return sorted.length == 0 ? Double.NaN : Math.min(1e4, sorted[sorted.length / 2]);
                    })
                    .toArray();
            chart.addSeries(policy, x, y).setMarker(SeriesMarkers.NONE);
        });
        BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
    }

    /** All but one of so many queries. */
    private static String percent(double queries) {
        return BigDecimal.valueOf(100 - 100 / queries)
                .setScale(2, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString();
    }

    /** p99.9 by rate. */
    static void rates(String title, double[] rates, Map<String, double[]> lines, Path file) throws IOException {
        XYChart chart = chart(title, "queries/s", "p99.9, ms");
        lines.forEach((policy, tails) -> chart.addSeries(
                policy, rates, Arrays.stream(tails).map(ms -> Math.min(1e4, ms)).toArray()));
        BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
    }

    static XYChart chart(String title, String x, String y) {
        return Charts.sized(1000, 560, title, x, y);
    }
}
