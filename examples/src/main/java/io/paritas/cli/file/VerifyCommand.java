/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code paritas verify}: looks for damage in units. */
@Command(
        name = "verify",
        description = "Checks all units: reports what is damaged and whether it can be repaired. Changes nothing.",
        footer = {"", "Example:", "  paritas verify film.units && echo sound"},
        exitCodeOnExecutionException = VerifyCommand.UNKNOWN,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all units are sound",
            "1:there is damage",
            "2:wrong usage",
            "3:it could not find out, as where DIR has no usable unit, or units of two files"
        })
public final class VerifyCommand implements Callable<Integer> {
    /** The exit status where it is not known whether there is damage. */
    static final int UNKNOWN = 3;

    @Mixin
    private Console console;

    @Parameters(paramLabel = "DIR", description = "The directory of the units.")
    private Path directory;

    @Override
    public Integer call() throws IOException {
        console.checkUnits(directory);
        Stopwatch stopwatch = Stopwatch.start();
        UnitSet units = UnitScan.scan(directory);
        Inspection inspection = Inspector.inspect(units);
        console.print(inspection);
        console.print("%s", inspection.verdict());
        console.sumUp("Verified %,d bytes: %s", inspection.bytes(), stopwatch.rate(inspection.bytes()));
        return inspection.sound() ? ExitCode.OK : ExitCode.SOFTWARE;
    }
}
