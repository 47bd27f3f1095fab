/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.progress.Waiting;
import io.paritas.inference.Device;
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
import java.util.List;
import java.util.Optional;
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
            "  paritas inspect noscope-n2 --batch 1024 --measure 10",
            "  paritas inspect noscope-n2 --batch 1024 --measure 10 --device cuda"
        })
public final class InspectCommand implements Callable<Integer> {
    private static final int MOST_ROWS = 1_000_000;
    private static final int MOST_SECONDS = 86_400;

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
                    "Measure on this machine how many images a second the model takes when it is folded by 1 to 4,"
                            + " this many seconds each. Weights do not matter for that.")
    private Integer seconds;

    @Option(
            names = "--device",
            paramLabel = "DEVICE",
            defaultValue = "cpu",
            description = "Where to measure: cpu, cuda, or auto, a GPU where one works. Default: ${DEFAULT-VALUE}")
    private Device measuredOn;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Threads for --measure on the CPU, at most one for each processor. Default: ${DEFAULT-VALUE}")
    private int threads;

    @Option(
            names = "--rounding",
            paramLabel = "KIND",
            defaultValue = "FLOOR",
            description = "Rounding of folded channels, one of: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private Rounding rounding;

    @Option(
            names = "--input-shape",
            paramLabel = "SIZE",
            split = "x",
            description = "Shape of one row, such as 3x32x32, for a TorchScript file without one.")
    private List<Integer> shape;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        require("--batch", batch, MOST_ROWS);
        require("--threads", threads, Runtime.getRuntime().availableProcessors()); // more would not run
        require("--bytes", elementBytes, Double.BYTES);
        require("--measure", seconds == null ? 1 : seconds, MOST_SECONDS);
        Optional<DeviceProfile> plan = Optional.ofNullable(device).map(this::profile);
        if (!Files.exists(Path.of(model)) && !model.contains(".") && !model.contains("/")) {
            Graph graph = NetworkName.named(model).build();
            requireMeasurable(graph);
            print(out, graph, plan);
            return 0;
        }
        if (Files.isDirectory(Path.of(model)) || model.endsWith(".json")) {
            requireNoFolds();
            out.print(BundleText.of(Path.of(model)));
            out.flush();
            return 0;
        }
        ModelFile file = ModelFile.read(Path.of(model));
        String heading = file.format() + ", " + file.size() + " bytes, SHA-256 " + file.sha256();
        if (file.format() == ModelFormat.ONNX) {
            Graph graph = Graph.of(file);
            requireMeasurable(graph);
            out.println(heading);
            print(out, graph, plan);
            return 0;
        }
        requireNoFolds();
        ModelOptions options = shape == null ? ModelOptions.DEFAULT : ModelOptions.DEFAULT.withInputShape(shape);
        try (Model loaded = ModelEngines.load(file, options)) {
            out.println(heading);
            out.println("from " + loaded.input() + " to " + loaded.output());
        }
        out.flush();
        return 0;
    }

    private void require(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new ParameterException(spec.commandLine(), option + " must be 1 to " + most + ", got " + value);
        }
    }

    private DeviceProfile profile(String name) {
        try {
            return DeviceProfile.named(name);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--plan: " + e.getMessage(), e);
        }
    }

    /** The inputs of a batch are in one buffer, and so are the outputs. */
    private void requireMeasurable(Graph graph) {
        int row = Math.max(graph.input().size(), graph.output().size());
        if (seconds != null) {
            require(
                    "--batch, for --measure and rows of " + row + " values,",
                    batch,
                    Integer.MAX_VALUE / Float.BYTES / row);
        }
    }

    private void requireNoFolds() {
        if (device != null || seconds != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--plan and --measure fold an ONNX model or a network by its name, " + model + " is neither.");
        }
    }

    private void print(PrintWriter out, Graph graph, Optional<DeviceProfile> plan) {
        out.println(NetworkSummary.of(graph, batch, elementBytes).text());
        plan.ifPresent(profile -> {
            out.println();
            out.println(FoldPlanner.plan(graph, batch, profile, rounding).text());
        });
        if (seconds != null) {
            ModelOptions options = ModelOptions.DEFAULT.withDevice(measuredOn).withThreads(threads);
            out.flush();
            PrintWriter err = spec.commandLine().getErr();
            err.println("measuring takes about " + FoldRace.MOST * (long) seconds + " s, " + seconds
                    + " s for each of the folds 1 to " + FoldRace.MOST);
            err.flush();
            try (Waiting waiting = Waiting.on(err)) {
                waiting.begin("measuring");
                new FoldRace(graph, batch, rounding, options).run(seconds, out);
            }
        }
        out.flush();
    }
}
