/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.recommend;

import io.paritas.cli.result.Charts;
import io.paritas.cli.result.ResultFile;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A plot of trainings: throughput over time and below it the loss. Dashed lines mark losses of servers and ends of recoveries. */
final class CurvePlot {
    private static final int WIDTH = 1200;
    private static final int HEIGHT = 420;
    private static final Color[] COLOURS = {new Color(0x24567a), new Color(0x6a9f58), new Color(0x9e3d22)};

    private CurvePlot() {}

    /** Writes a PNG. */
    static void write(List<Curve> curves, ResultFile file) throws IOException {
        XYChart throughput = chart("samples/s", curves, Curve.Point::samplesPerSecond);
        XYChart loss = chart("loss", curves, Curve.Point::loss);
        Charts.write(List.of(throughput, loss), file);
    }

    private static XYChart chart(String axis, List<Curve> curves, ToDoubleFunction<Curve.Point> value) {
        XYChart chart = Charts.sized(WIDTH, HEIGHT, "", "s", axis);
        for (int i = 0; i < curves.size(); i++) {
            add(chart, curves.get(i), value, COLOURS[i % COLOURS.length]);
        }
        return chart;
    }

    private static void add(XYChart chart, Curve curve, ToDoubleFunction<Curve.Point> value, Color colour) {
        List<Double> seconds = new ArrayList<>();
        List<Double> values = new ArrayList<>();
        for (Curve.Point point : curve.points()) {
            if (!Double.isNaN(value.applyAsDouble(point))) {
                seconds.add(point.seconds());
                values.add(value.applyAsDouble(point));
            }
        }
        if (seconds.isEmpty()) {
            return;
        }
        XYSeries line = chart.addSeries(curve.name(), seconds, values);
        line.setMarker(SeriesMarkers.NONE);
        line.setLineColor(colour);
        double top = values.stream().mapToDouble(Double::doubleValue).max().orElse(1);
        double bottom = values.stream().mapToDouble(Double::doubleValue).min().orElse(0);
        for (Curve.Event event : curve.marks()) {
            XYSeries mark = chart.addSeries(
                    curve.name() + ", " + event.seconds() + ": " + event.text(),
                    new double[] {event.seconds(), event.seconds()},
                    new double[] {bottom, top});
            mark.setMarker(SeriesMarkers.NONE);
            mark.setLineColor(colour);
            mark.setLineStyle(
                    new BasicStroke(1, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 1, new float[] {4, 4}, 0));
            mark.setShowInLegend(event.text().startsWith("a server is lost"));
            mark.setLabel(curve.name() + ": a server is lost");
        }
    }
}
