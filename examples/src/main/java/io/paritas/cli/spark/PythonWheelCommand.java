/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code paritas python-wheel}: the functions for PySpark, as a package for pip. */
@Command(
        name = "python-wheel",
        description = "Writes the package paritas for PySpark and prints its path: for pip install.",
        footer = {
            "",
            "Example:",
            "  pip install \"$(paritas python-wheel --out /tmp)\"",
            "  python -c \"import paritas; print(paritas.sql('predict', 'model.onnx', 'x', batchRows=64))\""
        })
public final class PythonWheelCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--out", paramLabel = "DIR", defaultValue = ".", description = "The directory (default: this one).")
    private Path folder;

    @Override
    public Integer call() throws IOException {
        Wheel wheel = new Wheel("paritas", version(), "Predictions of Paritas in PySpark and Spark Connect", ">=3.9");
        try (InputStream module = PythonWheelCommand.class.getResourceAsStream("python/__init__.py")) {
            wheel.add("paritas/__init__.py", module.readAllBytes());
        }
        spec.commandLine().getOut().println(wheel.write(folder));
        spec.commandLine().getOut().flush();
        return 0;
    }

    /** The version that the jar of this class has, as Python spells it. */
    private static String version() {
        String version = PythonWheelCommand.class.getPackage().getImplementationVersion();
        return version == null ? "0.dev0" : python(version);
    }

    /** Returns a version of Maven as the name of a wheel may have it; pip reads {@code 0.1.0.RC1} as {@code 0.1.0rc1}. */
    static String python(String version) {
        return version.replace("-SNAPSHOT", ".dev0").replace('-', '.');
    }
}
