/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import io.paritas.erasure.CodeParameters;
import io.paritas.examples.bench.BenchCommand;
import io.paritas.examples.doctor.DoctorCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program {@code paritas}. */
@Command(
        name = "paritas",
        description = "Erasure coding for Hadoop and Spark, without native code.",
        mixinStandardHelpOptions = true,
        version = "paritas 0.1.0-SNAPSHOT",
        subcommands = {DoctorCommand.class, BenchCommand.class, CommandLine.HelpCommand.class})
public final class Paritas {
    private Paritas() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Paritas()).registerConverter(CodeParameters.class, new CodeConverter());
    }
}
