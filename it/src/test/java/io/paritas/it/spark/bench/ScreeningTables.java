/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.it.spark.bench.FlipStudy.Bit;
import io.paritas.it.spark.bench.FlipStudy.Method;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;

/** Tables and the picture of {@link ScreeningStudy}. */
final class ScreeningTables {
    private ScreeningTables() {}

    /** What was measured of a model. */
    record Measured(FlipStudy study, List<Bit> bits, Map<String, Double> costs) {
        double share(Method method, boolean harmfulOnly) {
            double of = bits.stream()
                    .mapToInt(bit -> harmfulOnly ? bit.harmful() : bit.changed())
                    .sum();
            double seen = bits.stream()
                    .mapToInt(bit -> (harmfulOnly ? bit.seenHarmful() : bit.seen())[method.ordinal()])
                    .sum();
            return seen / of;
        }

        /** Of all flips. */
        double perFlip(Method method) {
            double flips = bits.stream().mapToInt(Bit::flips).sum();
            return bits.stream().mapToInt(bit -> bit.seen()[method.ordinal()]).sum() / flips;
        }
    }

    static void print(List<Measured> all) {
        ScreeningStudy.print(
                "%n| model | flips that change an answer | …another class | residual | copies | turned | guided | recomputed |");
        for (Measured one : all) {
            int flips = one.bits.stream().mapToInt(Bit::flips).sum();
            int changed = one.bits.stream().mapToInt(Bit::changed).sum();
            int harmful = one.bits.stream().mapToInt(Bit::harmful).sum();
            StringBuilder line = new StringBuilder(
                    String.format(Locale.ROOT, "| %s | %d of %d | %d |", one.study.name(), changed, flips, harmful));
            for (Method method : Method.values()) {
                line.append(String.format(
                        Locale.ROOT, " %.3f (%.3f) |", one.share(method, false), one.share(method, true)));
            }
            ScreeningStudy.print("%s", line);
        }
        ScreeningStudy.print(
                "%n| bits | model | residual | copies | turned | guided | recomputed | (of flips that change an answer)");
        for (Measured one : all) {
            for (int[] range : new int[][] {{0, 11}, {12, 17}, {18, 22}, {23, 26}, {27, 29}, {30, 30}, {31, 31}}) {
                List<Bit> part = one.bits.subList(range[0], range[1] + 1);
                Measured bits = new Measured(one.study, part, one.costs);
                StringBuilder line = new StringBuilder(
                        String.format(Locale.ROOT, "| %d to %d | %s |", range[0], range[1], one.study.name()));
                for (Method method : Method.values()) {
                    line.append(String.format(Locale.ROOT, " %.2f |", bits.share(method, false)));
                }
                ScreeningStudy.print("%s", line);
            }
        }
        ScreeningStudy.print("%n| model | cost: residual | guided |");
        for (Measured one : all) {
            ScreeningStudy.print(
                    "| %s | %.4f | %.3f |", one.study.name(), one.costs.get("residual"), one.costs.get("guided"));
        }
    }

    /** A dot for each model and method: what share of wrong answers is seen, at which cost. */
    static void draw(List<Measured> all, double share, Path file) throws IOException {
        XYChart chart = ServingPlots.chart(
                "Wrong answers that are seen, by cost", "cost, % of a prediction", "% of flips that change the class");
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setDefaultSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
        Map<String, List<double[]>> dots = new LinkedHashMap<>();
        for (Measured one : all) {
            add(dots, "residual", one.costs.get("residual"), one.share(Method.RESIDUAL, true));
            add(dots, "guided", one.costs.get("guided"), one.share(Method.GUIDED, true));
            add(dots, "audit of a share", share, share * one.share(Method.RECOMPUTED, true));
            add(dots, "audit of 10 %", 0.1, 0.1 * one.share(Method.RECOMPUTED, true));
            add(dots, "replication", 1, one.share(Method.RECOMPUTED, true));
            add(dots, "one turned stack of four in each batch", 0.25, 0.25 * one.share(Method.TURNED, true));
        }
        dots.forEach((name, values) -> chart.addSeries(
                name,
                values.stream().mapToDouble(dot -> dot[0]).toArray(),
                values.stream().mapToDouble(dot -> dot[1]).toArray()));
        BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
    }

    private static void add(Map<String, List<double[]>> dots, String name, double cost, double seen) {
        if (seen > 0) {
            dots.computeIfAbsent(name, absent -> new ArrayList<>())
                    .add(new double[] {100 * Math.max(1e-4, cost), 100 * seen});
        }
    }
}
