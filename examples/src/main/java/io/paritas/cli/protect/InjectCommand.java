/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import io.paritas.cli.machine.Machine;
import io.paritas.cli.progress.Waiting;
import io.paritas.cli.protect.FaultStudy.Cases;
import io.paritas.cli.result.ResultFile;
import io.paritas.cli.result.ResultFolder;
import io.paritas.cli.result.Results;
import io.paritas.cli.usage.Usage;
import io.paritas.inference.ModelFile;
import io.paritas.inference.data.DataSource;
import io.paritas.inference.data.ImageInputs;
import io.paritas.inference.data.LabelledImages;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code paritas inject}: flips bits of a model's values, and shows the effect and what finds it. */
@Command(
        name = "inject",
        header = "Studies the effect of flipped bits on a model.",
        description = {
            "",
            "Flips single bits of the results of convolutions and linear layers, and counts for each bit how often the"
                    + " prediction changes, and how often each scheme of checks finds the flip (thesis, 2.2.2). Flips as"
                    + " many bits of checksums.",
            ""
        },
        footer = {
            "",
            "Without --model, a network of the shape of ACAS Xu's (5 inputs, 5 hidden layers of 50, 5 advisories) is trained"
                    + " on random encounters.",
            "",
            "Writes faults.csv, faults.png and, without --model, acas.onnx to DIR.",
            "",
            "Examples:",
            "  paritas inject --out faults/acas",
            "  paritas inject --model models/base/base.onnx --data glyphs --out faults/cnn"
        })
public final class InjectCommand implements Callable<Integer> {
    private static final String TABLE = "faults.csv";
    private static final String PLOT = "faults.png";
    private static final String NETWORK = "acas.onnx";

    @Option(names = "--model", paramLabel = "FILE", description = "An ONNX model that classifies images.")
    private Path model;

    @Option(
            names = "--data",
            paramLabel = "SOURCE",
            description =
                    "With --model, labelled images: glyphs, scenes, mnist:DIR, cifar10:DIR, cifar100:DIR or images:DIR."
                            + " Default: glyphs")
    private String data;

    @Option(
            names = "--flips",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Flips for each of the 32 bits. Default: ${DEFAULT-VALUE}")
    private int flips;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the flips. Default: ${DEFAULT-VALUE}")
    private long seed;

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "The directory for the results.")
    private Path folder;

    @Mixin
    private Results results;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (flips < 1) {
            throw new ParameterException(spec.commandLine(), "--flips must be at least 1, got " + flips);
        }
        if (model == null && data != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--data is for a network of yours, got --data " + data + " without --model: name the --model");
        }
        results.requireFree(folder, TABLE, PLOT);
        if (model == null) {
            results.requireFree(folder, NETWORK);
        }
        Logger.getLogger("io.paritas.inference.protect").setLevel(Level.OFF); // findings are counted here
        PrintWriter out = spec.commandLine().getOut();
        FaultStudy.Result result;
        try (Waiting waiting = Waiting.on(spec.commandLine().getErr())) {
            FaultStudy study = model == null ? acas(waiting) : given(waiting);
            out.println(Machine.description());
            out.printf(Locale.ROOT, "%s%n%d flips for each bit, seed %d%n", study.description(), flips, seed);
            out.flush();
            result = study.run(flips, seed, waiting);
        }
        out.println(result.table());
        write(result, out);
        out.flush();
        return 0;
    }

    private void write(FaultStudy.Result result, PrintWriter out) throws IOException {
        ResultFile table = new ResultFile(folder.resolve(TABLE));
        table.write(result.csv());
        out.println("Written to " + table);
        ResultFile plot = new ResultFile(folder.resolve(PLOT));
        FaultPlot.write(result, plot);
        out.println("plot: " + plot);
    }

    private FaultStudy acas(Waiting waiting) throws IOException {
        waiting.begin("training a network of the shape of ACAS Xu's");
        ResultFolder.create(folder, spec.commandLine());
        Path file = folder.resolve(NETWORK);
        ModelFile trained = Acas.train(seed);
        trained.write(file);
        return new FaultStudy("Encounters of two aircraft, " + file, trained, Acas.cases(4000, seed + 1));
    }

    private FaultStudy given(Waiting waiting) throws IOException {
        ModelFile network = ModelFile.read(model); // what is none is refused before the images are drawn
        waiting.begin("loading the images " + (data == null ? "glyphs" : data));
        LabelledImages images = new Usage(spec).parsed("--data", () -> DataSource.load(data == null ? "glyphs" : data));
        ImageInputs inputs = new ImageInputs(images.test(), images.normalization());
        int[] labels = new int[images.test().size()];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = images.test().label(i);
        }
        FaultStudy study = new FaultStudy(model + " on " + images.description(), network, new Cases(inputs, labels));
        ResultFolder.create(folder, spec.commandLine());
        return study;
    }
}
