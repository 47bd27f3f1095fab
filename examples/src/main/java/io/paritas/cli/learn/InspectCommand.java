/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelFormat;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.folded.DeviceProfile;
import io.paritas.inference.folded.FoldOptions.Rounding;
import io.paritas.inference.folded.FoldPlanner;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.NetworkName;
import io.paritas.inference.graph.NetworkSummary;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code paritas inspect}: shows a model's layers and their cost. */
@Command(
        name = "inspect",
        description = {
            "Shows a model's layers with their parameters, operations and arithmetic intensity, and whether folding it"
                    + " pays on a device.",
            "Of a folder, or a descriptor in it such as parity.json, it shows what was made for a model (parity models, a"
                    + " learned code, a folded network, a cascade) and checks that it is complete.",
        },
        footer = {
            "",
            "Examples:",
            "  paritas inspect models/base/base.onnx",
            "  paritas inspect models",
            "  paritas inspect noscope-n2 --batch 1024 --bytes 2 --plan t4",
            "  paritas inspect noscope-n2 --batch 1024 --measure 10"
        })
public final class InspectCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "MODEL",
            description = "A model file, the name of a network that 'paritas train' knows, a folder of models, or a"
                    + " descriptor.")
    private String model;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "1024",
            description = "Rows in a batch. Default: ${DEFAULT-VALUE}")
    private int batch;

    @Option(
            names = "--bytes",
            paramLabel = "N",
            defaultValue = "4",
            description = "Bytes of a number: 4 for FP32, 2 for FP16. Default: ${DEFAULT-VALUE}")
    private int elementBytes;

    @Option(
            names = "--plan",
            paramLabel = "DEVICE",
            description = "Tell which fold pays on a device: t4, p4, v100, a100 or xavier.")
    private String device;

    @Option(
            names = "--measure",
            paramLabel = "SECONDS",
            description =
                    "Measure on this machine's CPU how many images a second the model takes when it is folded by 1 to 4,"
                            + " this many seconds each. Weights do not matter for that.")
    private Integer seconds;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Threads for --measure. Default: ${DEFAULT-VALUE}")
    private int threads;

    @Option(
            names = "--rounding",
            paramLabel = "KIND",
            defaultValue = "FLOOR",
            description = "Rounding of folded channels, one of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private Rounding rounding;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        require("--batch", batch);
        require("--threads", threads);
        require("--bytes", elementBytes);
        require("--measure", seconds == null ? 1 : seconds);
        if (!Files.exists(Path.of(model)) && !model.contains(".") && !model.contains("/")) {
            NetworkName name = NetworkName.named(model);
            print(out, name.build());
            return 0;
        }
        if (Files.isDirectory(Path.of(model)) || model.endsWith(".json")) {
            requireNoFolds();
            out.print(BundleText.of(Path.of(model)));
            out.flush();
            return 0;
        }
        ModelFile file = ModelFile.read(Path.of(model));
        if (file.format() != ModelFormat.ONNX) {
            requireNoFolds();
        }
        out.println(file.format() + ", " + file.size() + " bytes, SHA-256 " + file.sha256());
        if (file.format() == ModelFormat.ONNX) {
            print(out, Graph.of(file));
        } else {
            try (Model loaded = ModelEngines.load(file, ModelOptions.DEFAULT)) {
                out.println("from " + loaded.input() + " to " + loaded.output());
            }
        }
        out.flush();
        return 0;
    }

    private void require(String option, int value) {
        if (value < 1) {
            throw new ParameterException(spec.commandLine(), option + " must be at least 1, got " + value);
        }
    }

    private void requireNoFolds() {
        if (device != null || seconds != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--plan and --measure fold an ONNX model or a network by its name, " + model + " is neither.");
        }
    }

    private void print(PrintWriter out, Graph graph) {
        out.println(NetworkSummary.of(graph, batch, elementBytes).text());
        if (device != null) {
            out.println();
            out.println(FoldPlanner.plan(graph, batch, DeviceProfile.named(device), rounding)
                    .text());
        }
        if (seconds != null) {
            new FoldRace(graph, batch, rounding, threads).run(seconds, out);
        }
        out.flush();
    }
}
