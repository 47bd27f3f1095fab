/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code paritas repair}: makes missing and damaged units anew. */
@Command(
        name = "repair",
        description = "Rebuilds missing and damaged units, and leaves the others alone.",
        footer = {"", "Example:", "  paritas repair film.units"})
public final class RepairCommand implements Callable<Integer> {
    @Mixin
    private Console console;

    @Parameters(paramLabel = "DIR", description = "The directory of the units.")
    private Path directory;

    @Option(
            names = "--missing-only",
            description = "Rebuild only units that are missing or unusable as a whole, and read no more units than that"
                    + " takes, instead of looking for damage in all of them first.")
    private boolean missingOnly;

    @Override
    public Integer call() throws IOException {
        console.checkUnits(directory);
        Stopwatch stopwatch = Stopwatch.start();
        UnitSet units = UnitScan.scan(directory);
        Inspection inspection = missingOnly ? Inspector.inspectHeaders(units) : Inspector.inspect(units);
        console.print(inspection);
        if (inspection.sound()) {
            console.print("%s", missingOnly ? "no unit is missing" : inspection.verdict());
            return ExitCode.OK;
        }
        Reading reading = Repairer.repair(inspection);
        console.sumUp(
                "Repaired %d units of %s from %d units: %s",
                inspection.troubles().size(),
                directory,
                reading.units(),
                stopwatch.rate(units.group().fileLength()));
        console.warn(reading.damaged(), "'paritas repair " + directory + "' without --missing-only makes them anew");
        return ExitCode.OK;
    }
}
