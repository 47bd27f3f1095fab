/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import io.paritas.examples.quickstart.QuickstartCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program {@code paritas}. */
@Command(
        name = "paritas",
        description = "Erasure coding for Hadoop and Spark, without native code.",
        mixinStandardHelpOptions = true,
        version = "paritas 0.1.0-SNAPSHOT",
        subcommands = {QuickstartCommand.class, CommandLine.HelpCommand.class})
public final class Paritas {
    private Paritas() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Paritas()).execute(arguments));
    }
}
