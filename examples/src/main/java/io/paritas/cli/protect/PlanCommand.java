/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import io.paritas.cli.machine.Machine;
import io.paritas.cli.result.ResultFile;
import io.paritas.cli.result.Results;
import io.paritas.cli.usage.Usage;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.protect.Planner;
import io.paritas.inference.protect.ProtectionPlan;
import io.paritas.inference.protect.ProtectionPlan.Layer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code paritas protect plan}: finds the cheapest check of each layer by measuring. */
@Command(
        name = "plan",
        description =
                "Measures on one core or the GPU of this machine what each scheme of checks costs in each layer of a"
                        + " model, and plans the cheapest.",
        footer = {
            "",
            "Times are microseconds for a batch, the fastest of many turns; costs are relative to the layer without a"
                    + " check.",
            "",
            "Examples:",
            "  paritas protect plan models/base/base.onnx --batch 64 --out models/base/plan.json --plot plan.png",
            "  paritas protect plan models/base/base.onnx --device gpu --out models/base/gpu-plan.json"
        })
final class PlanCommand implements Callable<Integer> {
    private static final int MOST_SECONDS = 3600;

    private enum Target {
        CPU,
        GPU,
        GPU_SINGLE
    }

    @Parameters(paramLabel = "MODEL", description = "An ONNX model.")
    private Path model;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "64",
            description = "Rows in a batch. Default: ${DEFAULT-VALUE}")
    private int batch;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            defaultValue = "0.5",
            description = "Time to measure each layer. Default: ${DEFAULT-VALUE}")
    private double seconds;

    @Option(
            names = "--device",
            paramLabel = "DEVICE",
            defaultValue = "CPU",
            description =
                    "Where to measure, one of: ${COMPLETION-CANDIDATES}. GPU multiplies float16, GPU_SINGLE float32."
                            + " Default: ${DEFAULT-VALUE}")
    private Target target;

    @Option(names = "--out", paramLabel = "FILE", description = "The file for the plan.")
    private ResultFile file;

    @Option(
            names = "--plot",
            paramLabel = "FILE",
            description = "Also plot the costs over the arithmetic intensity, as PNG.")
    private ResultFile plot;

    @Mixin
    @SuppressWarnings("UnusedVariable") // its option is looked at before this command runs
    private Results results;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Usage usage = new Usage(spec);
        usage.requireAtLeast(1, "--batch", batch);
        usage.require(
                seconds > 0 && seconds <= MOST_SECONDS,
                "--seconds must be a number above 0, at most " + MOST_SECONDS,
                seconds);
        if (plot != null && !plot.toString().endsWith(".png")) {
            throw new ParameterException(spec.commandLine(), "--plot must be a .png file, got " + plot);
        }
        ProtectionPlan plan = plan(ModelFile.read(model), Duration.ofNanos((long) (seconds * 1_000_000_000)));
        if (plan.layers().isEmpty()) {
            throw new ModelException("a model must have a convolution or a linear layer to be protected, " + model
                    + " has none: there is nothing to plan");
        }
        print(plan);
        if (file != null) {
            file.write(plan.json());
            out().println("Written to " + file);
        }
        if (plot != null) {
            PlanPlot.write(plan, plot);
            out().println("plot: " + plot);
        }
        out().flush();
        return 0;
    }

    private ProtectionPlan plan(ModelFile file, Duration each) {
        return switch (target) {
            case CPU -> Planner.plan(file, batch, each);
            case GPU -> GpuPlanning.half(file, batch, each);
            case GPU_SINGLE -> GpuPlanning.single(file, batch, each);
        };
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private void print(ProtectionPlan plan) {
        out().println(Machine.description());
        out().printf(
                        Locale.ROOT,
                        "%s: %.0f GFLOP/s, %.1f GB/s of its memory, %.1f operations for each byte. Batches of %d.%n",
                        target == Target.CPU ? "One core" : plan.device().name(),
                        plan.device().operations() / 1e9,
                        plan.device().bytes() / 1e9,
                        plan.device().ratio(),
                        plan.rows());
        out().printf(
                        Locale.ROOT,
                        "%n%-24s %-20s %9s %9s %9s %8s %8s %9s  %s%n",
                        "layer",
                        "m x n x k",
                        "MFLOP",
                        "FLOP/byte",
                        "none, µs",
                        "global",
                        "thread",
                        "two-sided",
                        "plan");
        double none = 0;
        double planned = 0;
        double global = 0;
        for (Layer layer : plan.layers()) {
            out().printf(
                            Locale.ROOT,
                            "%-24s %-20s %9.1f %9.1f %9.1f %s %s  %s  %s%n",
                            layer.name(),
                            layer.m() + " x " + layer.n() + " x " + layer.k()
                                    + (layer.groups() > 1 ? " x " + layer.groups() : ""),
                            layer.operations() / 1e6,
                            layer.intensity(),
                            layer.seconds().get("none") * 1e6,
                            cost(layer, "global"),
                            cost(layer, "thread"),
                            cost(layer, "two-sided"),
                            layer.scheme());
            none += layer.seconds().get("none");
            planned += layer.seconds().get(layer.scheme());
            global += layer.seconds().get("global");
        }
        out().printf(
                        Locale.ROOT,
                        "%nAll layers: %.0f µs without checks, %+.1f %% as planned, %+.1f %% with global alone%n",
                        none * 1e6,
                        (planned / none - 1) * 100,
                        (global / none - 1) * 100);
    }

    private static String cost(Layer layer, String scheme) {
        return String.format(Locale.ROOT, "%+7.1f%%", layer.cost(scheme) * 100);
    }
}
