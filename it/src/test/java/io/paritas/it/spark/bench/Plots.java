/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Pictures of what was measured, as PNG files. */
final class Plots {
    private static final int WIDTH = 1200;
    private static final int HEIGHT = 560;
    private static final Color[] COLOURS = {
        new Color(0x24567a), new Color(0x6fa0c8), new Color(0x6a9f58), new Color(0xe49444), new Color(0x9e3d22)
    };

    private Plots() {}

    /** Median completion times, a bar for each setup and kind of straggler; only those that a picture can hold. */
    static void bars(List<Timed> results, double most, Path file) throws IOException {
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title("Completion time of a job, median")
                .yAxisTitle("s")
                .build();
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        Set<String> kinds = new LinkedHashSet<>();
        results.forEach(timed -> kinds.add(timed.straggler().text));
        Set<String> setups = new LinkedHashSet<>();
        results.forEach(timed -> setups.add(timed.setup().name()));
        int colour = 0;
        for (String setup : setups) {
            List<Double> heights = new ArrayList<>();
            for (String kind : kinds) {
                heights.add(results.stream()
                        .filter(timed -> timed.setup().name().equals(setup)
                                && timed.straggler().text.equals(kind)
                                && timed.median() <= most)
                        .map(Timed::median)
                        .findFirst()
                        .orElse(null));
            }
            chart.addSeries(setup, List.copyOf(kinds), heights).setFillColor(COLOURS[colour++ % COLOURS.length]);
        }
        write(chart, file);
    }

    /** When the tasks of a job ran, a line for each slot. */
    static void timeline(List<Timeline.Task> tasks, Path file) throws IOException {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title("A coded job with a late task: when its tasks ran")
                .xAxisTitle("s")
                .yAxisTitle("slot")
                .build();
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        Set<String> named = new LinkedHashSet<>();
        for (Timeline.Task task : tasks) {
            var line = chart.addSeries(
                    task.what() + " " + task.id(),
                    new double[] {task.start(), task.end()},
                    new double[] {task.slot(), task.slot()});
            line.setMarker(SeriesMarkers.NONE);
            line.setLineStyle(new BasicStroke(14, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER));
            line.setLineColor(COLOURS[task.what().ordinal()]);
            line.setLabel(task.what().text);
            line.setShowInLegend(named.add(task.what().text));
        }
        write(chart, file);
    }

    /** What a training loses by the size of its tables, with redundancy and with checkpoints; dots where it was measured. */
    static void crossover(Crossover crossover, Path file) throws IOException {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title("Throughput that a training loses, by the time between two failures")
                .xAxisTitle("GB in a server")
                .yAxisTitle("%")
                .build();
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setYAxisMin(0.0).setYAxisMax(100.0);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        double[] sizes = IntStream.rangeClosed(0, 30)
                .mapToDouble(i -> Math.pow(10, -2 + i * 4 / 30.0))
                .toArray();
        int colour = 0;
        for (int minutes : new int[] {10, 60, 600}) {
            double between = 60.0 * minutes;
            Color one = COLOURS[colour++ * 2 % COLOURS.length];
            line(chart, "coded, " + minutes + " min", sizes, size -> crossover.lostToRedundancy(size, between))
                    .setLineColor(one);
            var dashed = line(
                    chart,
                    "checkpoints, " + minutes + " min",
                    sizes,
                    size -> crossover.lostToCheckpoints(size, between));
            dashed.setLineColor(one);
            dashed.setLineStyle(
                    new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 1, new float[] {8, 6}, 0));
        }
        var measured = chart.addSeries(
                "redundancy, measured",
                crossover.measured().stream()
                        .mapToDouble(Crossover.Measured::gigabytes)
                        .toArray(),
                crossover.measured().stream()
                        .mapToDouble(one -> 100 * one.overhead())
                        .toArray());
        measured.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter);
        measured.setMarkerColor(Color.BLACK);
        write(chart, file);
    }

    private static XYSeries line(XYChart chart, String name, double[] sizes, DoubleUnaryOperator lost) {
        XYSeries series = chart.addSeries(
                name,
                sizes,
                DoubleStream.of(sizes)
                        .map(size -> 100 * lost.applyAsDouble(size))
                        .toArray());
        series.setMarker(SeriesMarkers.NONE);
        return series;
    }

    private static void write(org.knowm.xchart.internal.chartpart.Chart<?, ?> chart, Path file) throws IOException {
        System.setProperty("java.awt.headless", "true");
        BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
    }
}
