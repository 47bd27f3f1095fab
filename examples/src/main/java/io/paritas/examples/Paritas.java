/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.CodeParameters;
import io.paritas.examples.bench.BenchCommand;
import io.paritas.examples.doctor.DoctorCommand;
import io.paritas.examples.file.DecodeCommand;
import io.paritas.examples.file.EncodeCommand;
import io.paritas.examples.file.RepairCommand;
import io.paritas.examples.file.VerifyCommand;
import io.paritas.examples.learn.EvalCommand;
import io.paritas.examples.learn.ExportCommand;
import io.paritas.examples.learn.InspectCommand;
import io.paritas.examples.learn.TrainCommand;
import io.paritas.examples.load.LoadCommand;
import io.paritas.examples.protect.InjectCommand;
import io.paritas.examples.protect.ProtectCommand;
import io.paritas.examples.quickstart.QuickstartCommand;
import io.paritas.examples.recommend.RecommendCommand;
import io.paritas.examples.serve.ServeCommand;
import io.paritas.examples.spark.SparkJarsCommand;
import io.paritas.examples.tune.TuneCommand;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The program {@code paritas}. */
@Command(
        name = "paritas",
        description = "Erasure coding for Hadoop and Spark without native code, and coded inference.",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        version = "paritas 0.1.0-SNAPSHOT",
        subcommands = {
            QuickstartCommand.class,
            DoctorCommand.class,
            BenchCommand.class,
            TuneCommand.class,
            EncodeCommand.class,
            DecodeCommand.class,
            VerifyCommand.class,
            RepairCommand.class,
            TrainCommand.class,
            EvalCommand.class,
            InspectCommand.class,
            ExportCommand.class,
            ServeCommand.class,
            LoadCommand.class,
            RecommendCommand.class,
            ProtectCommand.class,
            InjectCommand.class,
            SparkJarsCommand.class,
            CommandLine.HelpCommand.class
        })
public final class Paritas {
    /** Kept, or the level would be forgotten with it. */
    private static final Logger INFERENCE = Logger.getLogger("io.paritas.inference");

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Show the stack trace of a failure.")
    private boolean verbose;

    private Paritas() {}

    public static void main(String[] arguments) {
        // Which device a model runs on is for the log of a cluster, not for a terminal.
        INFERENCE.setLevel(Level.WARNING);
        System.exit(commandLine().execute(arguments));
    }

    /** The program's command line: its commands, and how they report failures. */
    public static CommandLine commandLine() {
        Paritas program = new Paritas();
        FailureHandler failures = new FailureHandler(program);
        return new CommandLine(program)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .registerConverter(CodeParameters.class, new CodeConverter())
                .registerConverter(CodeName.class, new CodeNameConverter())
                .setExecutionExceptionHandler(failures)
                .setParameterExceptionHandler(failures);
    }

    /** Whether the stack trace of a failure is wanted. */
    public boolean verbose() {
        return verbose;
    }
}
