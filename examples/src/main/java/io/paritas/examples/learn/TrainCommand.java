/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.learn;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code paritas train}: the commands that make models. */
@Command(
        name = "train",
        description = "Trains a network, and what protects or speeds up one: parity models, a learned code, a folded network.",
        subcommands = {
            TrainBaseCommand.class,
            TrainParityCommand.class,
            TrainCodeCommand.class,
            TrainFoldedCommand.class
        },
        footer = {
            "",
            "A training that was interrupted goes on from its last epoch when the same command is given again.",
            "",
            "Example:",
            "  paritas train base --network mlp --data glyphs --out models/base",
            "  paritas train parity --model models/base/base.onnx --k 2 --data glyphs --out models/parity"
        })
public final class TrainCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to train: base, parity, code or folded.");
    }
}
