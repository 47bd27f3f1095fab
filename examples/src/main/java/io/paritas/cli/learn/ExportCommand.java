/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.result.ResultFile;
import io.paritas.cli.result.Results;
import io.paritas.inference.Device;
import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.torch.LibTorch;
import io.paritas.inference.torch.TorchScripts;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code paritas export}: writes an ONNX model as TorchScript. */
@Command(
        name = "export",
        description =
                "Writes an ONNX model as TorchScript, for torch.jit.load in Python, LibTorch in C++, and our own engine.",
        footer = {"", "Example:", "  paritas export models/base/base.onnx --out models/base/base.pt"})
public final class ExportCommand implements Callable<Integer> {
    @Parameters(paramLabel = "MODEL", description = "An .onnx file.")
    private Path model;

    @Option(names = "--out", paramLabel = "FILE", required = true, description = "The .pt file to write.")
    private ResultFile out;

    @Mixin
    @SuppressWarnings("UnusedVariable") // its option is looked at before this command runs
    private Results results;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        if (!out.toString().endsWith(".pt")) {
            throw new ParameterException(spec.commandLine(), "--out must be a .pt file, got " + out);
        }
        LibTorch.start(Device.CPU, 1);
        ModelFile script = TorchScripts.write(Graph.read(model));
        script.write(out.path());
        spec.commandLine().getOut().println(out + ", " + script.size() + " bytes, SHA-256 " + script.sha256());
        spec.commandLine().getOut().flush();
        return 0;
    }
}
