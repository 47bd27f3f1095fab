/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.kernel.KernelChoice;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The output of a command, as far as all commands on files share it. */
@Command
final class Console {
    private static final List<String> KERNELS = List.of("auto", "plain", "vector", "machine", "cuda");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Chooses the kernel. Must be called before the first code is created: a JVM's choice is final. */
    @Option(
            names = "--kernel",
            paramLabel = "NAME",
            description =
                    "Kernel: auto, plain, vector, machine, or cuda for a GPU (default: auto, or that of PARITAS_OPTS="
                            + "-Dio.paritas.kernel=NAME).")
    void kernel(String name) {
        if (!KERNELS.contains(name)) {
            throw refusal("--kernel must be one of %s, got %s", String.join(", ", KERNELS), name);
        }
        System.setProperty("io.paritas.kernel", name);
    }

    /** Prints a line. */
    void print(String format, Object... values) {
        PrintWriter out = command.commandLine().getOut();
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
    }

    /** Prints a table of damages. */
    void print(Inspection inspection) {
        print("%s", inspection.units().group());
        inspection.troubles().forEach((unit, trouble) -> print("  unit %3d  %s", unit, trouble));
        inspection.units().strays().forEach(stray -> print("  not used  %s", stray));
    }

    /** Prints the last line of a command that has coded, and advice to make it faster. */
    void sumUp(String format, Object... values) {
        print(format, values);
        PrintWriter err = command.commandLine().getErr();
        KernelChoice.current().passedOver().ifPresent(err::println);
        err.flush();
    }

    /** Says which units are damaged, if any are, and what to do about it. */
    void warn(Erasures damaged, String remedy) {
        if (damaged.size() > 0) {
            PrintWriter err = command.commandLine().getErr();
            err.println("Damaged or missing, and reconstructed from the others: units " + damaged + ": " + remedy);
            err.flush();
        }
    }

    /** Says what is left of programs that were killed. */
    void warn(TemporaryFiles files) {
        PrintWriter err = command.commandLine().getErr();
        files.sentences().forEach(sentence -> err.println("Not used: " + sentence));
        err.flush();
    }

    /** Returns an exception for an impossible command line. */
    ParameterException refusal(String format, Object... values) {
        return new ParameterException(command.commandLine(), String.format(Locale.ROOT, format, values));
    }

    /** Refuses anything but a directory. */
    void checkUnits(Path directory) {
        if (!Files.isDirectory(directory)) {
            throw refusal("DIR must be the directory of the units, got %s", directory);
        }
    }

    /** Refuses a file that is a unit of the directory. */
    void checkNoUnit(Path file, Path directory) throws IOException {
        for (Path unit : UnitScan.unitFiles(directory)) {
            if (Files.exists(file) && Files.exists(unit) && Files.isSameFile(file, unit)) {
                throw refusal("FILE must not be a unit of DIR, got %s", file);
            }
        }
    }
}
