/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code paritas spark-jars}: the jars for {@code spark-submit}. */
@Command(
        name = "spark-jars",
        description =
                "Prints the jars of Paritas and its dependencies for Spark 4.0 to 4.2, separated by commas: for --jars.",
        footer = {
            "",
            "Example:",
            "  spark-submit --jars \"$(paritas spark-jars)\" \\",
            "    --conf spark.plugins=io.paritas.spark.ParitasPlugin \\",
            "    --conf spark.paritas.input.scale=0.003921569 \\",
            "    --class io.paritas.cli.spark.jobs.ClassifyFolder \\",
            "    /opt/paritas/lib/paritas-examples-VERSION.jar \\",
            "    model.onnx images/ labels/ --straggler 60",
            "",
            "/opt/paritas is the distribution; in a checkout the jar is in examples/target."
        })
public final class SparkJarsCommand implements Callable<Integer> {
    @Option(names = "--gpu", description = "Also those of the model engine gpu, for executors with NVIDIA GPUs.")
    private boolean gpu;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        List<Path> jars = gpu ? SparkHome.withGpu() : SparkHome.paritas();
        spec.commandLine().getOut().println(jars.stream().map(Path::toString).collect(Collectors.joining(",")));
        spec.commandLine().getOut().flush();
        return 0;
    }
}
