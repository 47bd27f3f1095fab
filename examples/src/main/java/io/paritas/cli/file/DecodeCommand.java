/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.cli.file.PendingFiles.Existing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code paritas decode}: makes the file of its units. */
@Command(
        name = "decode",
        description = "Restores a file from its units, even if some are missing or damaged. Changes no unit.",
        footer = {"", "Example:", "  paritas decode film.units --out film.mkv"})
public final class DecodeCommand implements Callable<Integer> {
    @Mixin
    private Console console;

    @Parameters(paramLabel = "DIR", description = "The directory of the units.")
    private Path directory;

    @Option(names = "--out", paramLabel = "FILE", required = true, description = "The file to write.")
    private Path file;

    @Option(names = "--force", description = "Replace FILE if it exists.")
    private boolean force;

    @Override
    public Integer call() throws IOException {
        check();
        Stopwatch stopwatch = Stopwatch.start();
        UnitSet units = UnitScan.scan(directory);
        Reading reading = new Decoder(units, force ? Existing.REPLACED : Existing.KEPT).decode(file);
        long bytes = units.group().fileLength();
        console.sumUp(
                "Decoded %s, %,d bytes, from %d of the %d units of %s in %s: %s",
                file,
                bytes,
                reading.units(),
                units.group().code().n(),
                units.group().code(),
                directory,
                stopwatch.rate(bytes));
        console.warn(reading.damaged(), "'paritas repair " + directory + "' makes them anew");
        return 0;
    }

    private void check() throws IOException {
        console.checkUnits(directory);
        Path parent = file.toAbsolutePath().getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw console.refusal("FILE must be in an existing directory, got %s", file);
        }
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        console.checkNoUnit(file, directory);
        if (!force) {
            throw console.refusal("FILE must not exist, unless --force replaces it, got %s", file);
        }
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw console.refusal("--force must replace a file, not a directory, link or device, got %s", file);
        }
    }
}
