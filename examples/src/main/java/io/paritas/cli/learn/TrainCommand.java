/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code paritas train}: the commands that train models. */
@Command(
        name = "train",
        description = "Trains networks: a classifier, its parity models, a learned code, or a folded network.",
        subcommands = {
            TrainBaseCommand.class,
            TrainParityCommand.class,
            TrainCodeCommand.class,
            TrainFoldedCommand.class,
            CalibrateCommand.class
        },
        footer = {
            "",
            "The same command resumes an interrupted training after its last epoch.",
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
        throw new ParameterException(spec.commandLine(), "say what to train: base, parity, code, folded or calibrate");
    }
}
