/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.spark;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code paritas spark-jars}: what {@code spark-submit} needs. */
@Command(
        name = "spark-jars",
        description =
                "Prints the jars of Paritas and of what it needs beside Spark 4.2, with commas between: for --jars.",
        footer = {
            "",
            "Example:",
            "  spark-submit --jars $(paritas spark-jars) \\",
            "    --conf spark.plugins=io.paritas.inference.spark.CodedInferencePlugin \\",
            "    --conf spark.paritas.input.scale=0.003921569 \\",
            "    --class io.paritas.examples.spark.jobs.ClassifyFolder \\",
            "    examples/target/paritas-examples-0.1.0-SNAPSHOT.jar \\",
            "    model.onnx images/ labels/ --straggler 60"
        })
public final class SparkJarsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine()
                .getOut()
                .println(SparkHome.paritas().stream().map(Path::toString).collect(Collectors.joining(",")));
        spec.commandLine().getOut().flush();
        return 0;
    }
}
