/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import io.paritas.cli.result.Charts;
import io.paritas.cli.result.ResultFile;
import io.paritas.inference.protect.gemm.Scheme;
import java.awt.Color;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;

/** A plot of a study: changed predictions and detected flips, by the flipped bit. */
final class FaultPlot {
    private static final Color[] COLOURS = {
        new Color(0x9e3d22),
        new Color(0xe49444),
        new Color(0x6a9f58),
        new Color(0x967662),
        new Color(0x24567a),
        new Color(0x6fa0c8)
    };

    private FaultPlot() {}

    static void write(FaultStudy.Result result, ResultFile file) throws IOException {
        XYChart chart = Charts.wide(
                "Flips of one bit of one float32 value: what they change, and what finds them",
                "bit (0 to 22 significand, 23 to 30 exponent, 31 sign)",
                "% of the flips");
        add(chart, "prediction changed, no check", Color.BLACK, result::mispredictions);
        int colour = 0;
        for (Scheme scheme : FaultStudy.SCHEMES) {
            add(chart, "found by " + scheme, COLOURS[colour++], bit -> result.detected(scheme, bit));
        }
        Charts.write(chart, file);
    }

    private static void add(XYChart chart, String name, Color colour, IntToDoubleFunction share) {
        List<Integer> bits = new ArrayList<>();
        List<Double> shares = new ArrayList<>();
        for (int bit = 0; bit < FaultStudy.BITS; bit++) {
            bits.add(bit);
            shares.add(100 * share.applyAsDouble(bit));
        }
        XYSeries series = chart.addSeries(name, bits, shares);
        series.setLineColor(colour);
        series.setMarkerColor(colour);
    }
}
