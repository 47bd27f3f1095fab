/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.result;

import java.awt.Color;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.Styler;

/** Charts that look alike. */
public final class Charts {
    private Charts() {}

    /** A chart of 1200 by 560 pixels. */
    public static XYChart wide(String title, String x, String y) {
        return sized(1200, 560, title, x, y);
    }

    /** A chart of some pixels without series, with its legend beside it; needs no display. */
    public static XYChart sized(int width, int height, String title, String x, String y) {
        System.setProperty("java.awt.headless", "true");
        XYChart chart = new XYChartBuilder()
                .width(width)
                .height(height)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .build();
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE).setChartBackgroundColor(Color.WHITE);
        return chart;
    }

    /** Writes a chart as PNG, as {@link #write(List, ResultFile)} does. */
    public static void write(Chart<?, ?> chart, ResultFile file) throws IOException {
        write(List.of(chart), file);
    }

    /**
     * Writes charts, one below the other, as PNG.
     *
     * @throws IOException if the file cannot be written, or this JVM cannot draw
     */
    public static void write(List<? extends Chart<?, ?>> charts, ResultFile file) throws IOException {
        ImageIO.setUseCache(false); // it is a file in java.io.tmpdir, which may be full
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        try {
            BitmapEncoder.saveBitmap(charts, charts.size(), 1, png, BitmapEncoder.BitmapFormat.PNG);
        } catch (LinkageError | InternalError e) { // by which a Java without fonts says so
            throw new IOException(
                    "cannot draw " + file + ", because this Java has no fonts: install fontconfig and a font (" + e
                            + ")",
                    e);
        }
        file.write(png::writeTo);
    }
}
