/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.result;

import java.awt.Color;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/** Charts that look alike. */
public final class Charts {
    private static final int WIDTH = 1200;
    private static final int HEIGHT = 560;

    private Charts() {}

    /** A chart without series, with its legend beside it; needs no display. */
    public static XYChart wide(String title, String x, String y) {
        System.setProperty("java.awt.headless", "true");
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .build();
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE).setChartBackgroundColor(Color.WHITE);
        return chart;
    }
}
