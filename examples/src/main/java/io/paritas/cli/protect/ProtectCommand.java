/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.protect;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code paritas protect}: commands for models that check their own results. */
@Command(
        name = "protect",
        description = "Protects a model against wrong results of processors.",
        subcommands = PlanCommand.class,
        footer = {"", "Example:", "  paritas protect plan models/base/base.onnx --batch 64 --out models/base/plan.json"
        })
public final class ProtectCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what to do: plan");
    }
}
