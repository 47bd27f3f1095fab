/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import io.paritas.erasure.kernel.KernelChoice;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a command says: the part that all commands on files share. */
@Command
final class Console {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Before the first code is made: the choice of a JVM is final. */
    @Option(
            names = "--kernel",
            paramLabel = "NAME",
            description =
                    "What computes: auto, plain, vector, or cuda for a GPU (default: auto, or what PARITAS_OPTS says"
                            + " with -Dio.paritas.kernel=NAME).")
    void kernel(String name) {
        System.setProperty("io.paritas.kernel", name);
    }

    /** Prints a line. */
    void print(String format, Object... values) {
        PrintWriter out = command.commandLine().getOut();
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
    }

    /** Prints a table of what is wrong. */
    void print(Inspection inspection) {
        print("%s", inspection.units().group());
        inspection.troubles().forEach((unit, trouble) -> print("  unit %3d  %s", unit, trouble));
        inspection.units().strays().forEach(stray -> print("  not used  %s", stray));
    }

    /** Prints the last line of a command that has coded, and what would have made it faster. */
    void sumUp(String format, Object... values) {
        print(format, values);
        PrintWriter err = command.commandLine().getErr();
        KernelChoice.current().passedOver().ifPresent(err::println);
        err.flush();
    }

    /** To be thrown if the command line asks for what cannot be done. */
    ParameterException refusal(String format, Object... values) {
        return new ParameterException(command.commandLine(), String.format(Locale.ROOT, format, values));
    }

    /** Refuses what is not the directory of some units. */
    void checkUnits(Path directory) {
        if (!Files.isDirectory(directory)) {
            throw refusal("DIR is the directory that has the units; got %s", directory);
        }
    }

    /** Refuses a file that is a unit, where units are replaced or read. */
    void checkNoUnit(Path file, Path directory) throws IOException {
        for (Path unit : UnitScan.unitFiles(directory)) {
            if (Files.exists(file) && Files.isSameFile(file, unit)) {
                throw refusal("FILE is no unit of DIR; got %s", file);
            }
        }
    }
}
