/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.cli.result.Charts;
import io.paritas.cli.result.ResultFile;
import io.paritas.erasure.CodeParameters;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.style.Styler;

/** Plots of the results as PNG files. Published figures are grey, with a remark in the legend. */
final class Plots {
    private static final int WIDTH = 1200;
    private static final int HEIGHT = 560;
    private static final Color[] COLOURS = {
        new Color(0x9e3d22), new Color(0xe49444), new Color(0x6a9f58), new Color(0x24567a), new Color(0x6fa0c8)
    };
    private static final Color[] GREYS = {new Color(0x767676), new Color(0xa8a8a8), new Color(0xd2d2d2)};

    private final Path directory;
    private final List<RaceResult> measured;
    private final List<PublishedSpeed> published;
    private final List<String> files = new ArrayList<>();

    Plots(Path directory, List<RaceResult> measured, List<PublishedSpeed> published) {
        this.directory = directory;
        this.measured = measured;
        this.published = published;
        System.setProperty("java.awt.headless", "true");
    }

    /** Returns the names of the plots of these numbers of threads, lengths and codes. */
    static String[] names(List<Integer> threads, List<Integer> unitLengths, List<CodeParameters> codes) {
        Set<String> names = new LinkedHashSet<>();
        for (int count : threads) {
            for (Operation operation : Operation.values()) {
                unitLengths.forEach(unitLength -> names.add(bars(operation, unitLength, count)));
            }
            if (unitLengths.stream().distinct().count() > 1) {
                codes.forEach(code -> names.add(roof(code, count)));
            }
        }
        return names.toArray(String[]::new);
    }

    private static String bars(Operation operation, int unitLength, int threads) {
        return name(operation.name().toLowerCase(Locale.ROOT).replace('_', '-'), UnitLength.shown(unitLength), threads);
    }

    private static String roof(CodeParameters code, int threads) {
        return name("roof", code.k() + "-" + code.r(), threads);
    }

    private static String name(String what, String which, int threads) {
        return what + "-" + which + (threads == 1 ? "" : "-" + threads + "-threads") + ".png";
    }

    /** Writes all plots; returns the names of the files. */
    List<String> write() throws IOException {
        for (int threads : distinct(RaceResult::threads)) {
            for (Operation operation : distinct(RaceResult::operation)) {
                for (int unitLength : distinct(each -> each.shape().unitLength())) {
                    bars(threads, operation, unitLength);
                }
            }
            if (distinct(each -> each.shape().unitLength()).size() > 1) {
                for (CodeParameters code : distinct(each -> each.shape().code())) {
                    roof(threads, code);
                }
            }
        }
        return files;
    }

    private <T> Set<T> distinct(Function<RaceResult, T> property) {
        Set<T> values = new LinkedHashSet<>();
        measured.forEach(each -> values.add(property.apply(each)));
        return values;
    }

    private void bars(int threads, Operation operation, int unitLength) throws IOException {
        List<RaceResult> selected = measured.stream()
                .filter(each -> each.threads() == threads
                        && each.operation() == operation
                        && each.shape().unitLength() == unitLength)
                .toList();
        List<CodeParameters> codes =
                selected.stream().map(each -> each.shape().code()).toList();
        CategoryChart chart = chart(
                operation.title + ", units of " + UnitLength.shown(unitLength) + ", " + RaceResult.shown(threads),
                "code (k,r)");
        List<String> labels = codes.stream().map(CodeParameters::toString).toList();
        int colour = 0;
        for (String coder : coders()) {
            List<Double> speeds = speeds(selected, coder);
            chart.addSeries(coder, labels, speeds).setFillColor(COLOURS[colour++ % COLOURS.length]);
        }
        int grey = 0;
        for (Map.Entry<String, List<Double>> others :
                published(operation, codes).entrySet()) {
            chart.addSeries(others.getKey(), labels, others.getValue()).setFillColor(GREYS[grey++ % GREYS.length]);
        }
        save(chart, bars(operation, unitLength, threads));
    }

    /** Returns published speeds of these codes: for each coder and machine, a speed or null for each code. */
    private Map<String, List<Double>> published(Operation operation, List<CodeParameters> codes) {
        Map<String, List<Double>> series = new LinkedHashMap<>();
        for (PublishedSpeed each : published) {
            if (each.operation() == operation && codes.contains(each.code())) {
                put(series, each.coder() + ", " + each.machine(), codes, each.code(), each.gigabytesPerSecond());
                each.isal().ifPresent(isal -> put(series, "ISA-L, " + each.machine(), codes, each.code(), isal));
            }
        }
        return series;
    }

    private static void put(
            Map<String, List<Double>> series,
            String what,
            List<CodeParameters> codes,
            CodeParameters code,
            double speed) {
        series.computeIfAbsent("published: " + what, name -> {
                    List<Double> none = new ArrayList<>();
                    codes.forEach(ignored -> none.add(null));
                    return none;
                })
                .set(codes.indexOf(code), speed);
    }

    /**
     * Plots encoding by the length of a unit, under the bound of memory and caches: encoding reads k units and writes r, copying
     * reads and writes k.
     */
    private void roof(int threads, CodeParameters code) throws IOException {
        List<RaceResult> selected = measured.stream()
                .filter(each -> each.threads() == threads
                        && each.operation() == Operation.ENCODE
                        && each.shape().code().equals(code))
                .toList();
        CategoryChart chart = chart(
                "encode " + code + " under the roof of memory, " + RaceResult.shown(threads),
                "length of a unit, bytes");
        chart.getStyler().setDefaultSeriesRenderStyle(CategorySeries.CategorySeriesRenderStyle.Line);
        chart.getStyler().setOverlapped(true).setYAxisLogarithmic(true);
        List<String> labels = selected.stream()
                .map(each -> UnitLength.shown(each.shape().unitLength()))
                .toList();
        List<Double> roof = selected.stream()
                .map(each -> each.speeds().gigabytesPerSecond(Coders.COPY.name()) * 2 * code.k() / code.n())
                .toList();
        CategorySeries line = chart.addSeries("roof: speed of a copy x 2k / (k + r)", labels, roof);
        line.setMarkerColor(Color.BLACK).setLineColor(Color.BLACK).setLineStyle(new BasicStroke(3));
        int colour = 0;
        for (String coder : coders()) {
            List<Double> speeds = speeds(selected, coder);
            Color own = COLOURS[colour++ % COLOURS.length];
            chart.addSeries(coder, labels, speeds).setMarkerColor(own).setLineColor(own);
        }
        save(chart, roof(code, threads));
    }

    /** Returns the speed of a coder in each race, or null. */
    private static List<Double> speeds(List<RaceResult> selected, String coder) {
        List<Double> speeds = new ArrayList<>();
        selected.forEach(each -> speeds.add(each.speeds().orNull(coder)));
        return speeds;
    }

    private List<String> coders() {
        return RaceResult.coders(measured).stream()
                .filter(coder -> !coder.equals(Coders.COPY.name()))
                .toList();
    }

    private static CategoryChart chart(String title, String categories) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(categories)
                .yAxisTitle("GB/s of data")
                .build();
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE).setChartBackgroundColor(Color.WHITE);
        return chart;
    }

    private void save(CategoryChart chart, String file) throws IOException {
        Charts.write(chart, new ResultFile(directory.resolve(file)));
        files.add(file);
    }
}
