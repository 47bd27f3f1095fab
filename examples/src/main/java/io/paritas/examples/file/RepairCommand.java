/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code paritas repair}: makes missing and damaged units anew. */
@Command(
        name = "repair",
        description = "Makes the missing and the damaged units anew, and touches no other.",
        footer = {"", "Example:", "  paritas repair film.units"})
public final class RepairCommand implements Callable<Integer> {
    @Mixin
    private Console console;

    @Parameters(paramLabel = "DIR", description = "Where the units are.")
    private Path directory;

    @Override
    public Integer call() throws IOException {
        console.checkUnits(directory);
        Stopwatch stopwatch = Stopwatch.start();
        Inspection inspection = Inspector.inspect(UnitScan.scan(directory));
        console.print(inspection);
        if (inspection.sound()) {
            console.print("%s", inspection.verdict());
            return ExitCode.OK;
        }
        Repairer.repair(inspection);
        long bytes = inspection.units().group().fileLength();
        console.sumUp("Repaired %d units of %s: %s", inspection.troubles().size(), directory, stopwatch.rate(bytes));
        return ExitCode.OK;
    }
}
