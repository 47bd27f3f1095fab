/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paritas.cli.machine.Machine;
import io.paritas.cli.result.Charts;
import io.paritas.cli.result.ResultFile;
import io.paritas.inference.CompleteFile;
import io.paritas.inference.train.Epoch;
import io.paritas.inference.train.TrainOptions;
import io.paritas.inference.train.Training;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The report of a training: its learning curve as CSV and as a plot, and all results as JSON. */
final class TrainingReport {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private final Path folder;
    private final String name;
    private final Training training;

    /** @param name of the files, without their extensions */
    TrainingReport(Path folder, String name, Training training) {
        this.folder = folder;
        this.name = name;
        this.training = training;
    }

    void write(String data, TrainOptions options, Map<String, Double> accuracy) throws IOException {
        CompleteFile.createFolder(folder);
        writeCsv();
        writePlot();
        ObjectNode json = JSON.createObjectNode();
        json.put("data", data);
        json.put("machine", Machine.description());
        json.set("options", JSON.valueToTree(options));
        json.set("best", JSON.valueToTree(training.best()));
        json.set("accuracy", JSON.valueToTree(accuracy));
        json.set("epochs", JSON.valueToTree(training.epochs()));
        CompleteFile.write(folder.resolve(name + "-training.json"), JSON.writeValueAsBytes(json));
    }

    private void writeCsv() throws IOException {
        StringBuilder csv = new StringBuilder("epoch,loss,score,seconds\n");
        for (Epoch epoch : training.epochs()) {
            csv.append(String.format(
                    Locale.ROOT, "%d,%.6g,%.6f,%.3f%n", epoch.number(), epoch.loss(), epoch.score(), epoch.seconds()));
        }
        CompleteFile.write(folder.resolve(name + "-curve.csv"), csv.toString().getBytes(StandardCharsets.UTF_8));
    }

    private void writePlot() throws IOException {
        XYChart chart = Charts.sized(
                900,
                480,
                name + ": best score "
                        + String.format(Locale.ROOT, "%.4f", training.best().score()) + " in epoch "
                        + training.best().number(),
                "epoch",
                "score on validation");
        chart.getStyler().setLegendPosition(Styler.LegendPosition.InsideSE);
        List<Integer> numbers = training.epochs().stream().map(Epoch::number).toList();
        chart.addSeries(
                        "score",
                        numbers,
                        training.epochs().stream().map(Epoch::score).toList())
                .setMarker(SeriesMarkers.NONE)
                .setYAxisGroup(0);
        chart.addSeries(
                        "loss",
                        numbers,
                        training.epochs().stream().map(Epoch::loss).toList())
                .setMarker(SeriesMarkers.NONE)
                .setYAxisGroup(1);
        chart.setYAxisGroupTitle(1, "loss");
        chart.getStyler().setYAxisGroupPosition(1, Styler.YAxisPosition.Right);
        Charts.write(chart, new ResultFile(folder.resolve(name + "-curve.png")));
    }
}
