/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.protect;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code paritas protect}: models that check what they compute. */
@Command(
        name = "protect",
        description = "Protects a model against processors that compute wrong values.",
        subcommands = PlanCommand.class,
        footer = {"", "Example:", "  paritas protect plan models/base/base.onnx --batch 64 --out models/base/plan.json"
        })
public final class ProtectCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to do: plan.");
    }
}
