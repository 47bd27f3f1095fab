/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.cli.file.PendingFiles.Existing;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code paritas encode}: makes the units of a file. */
@Command(
        name = "encode",
        header = "Encodes a file into units with parity.",
        description =
                "%nSplits a file into K data units and adds R parity units. Any K of the K + R units restore the file,"
                        + " unless the code is an lrc one: then one unit of each local group may be lost, and any R more.%n",
        footer = {
            "",
            "FILE must not change meanwhile: it is refused if its file system then tells another length or time of writing.",
            "",
            "Units get the permissions of FILE. Keep them on different disks, and bring enough of them together in one"
                    + " directory to decode them.",
            "",
            "Example:",
            "  paritas encode film.mkv --code 6-3 --out film.units"
        })
public final class EncodeCommand implements Callable<Integer> {
    @Mixin
    private Console console;

    @Parameters(paramLabel = "FILE", description = "The file to encode.")
    private Path file;

    @Option(
            names = "--code",
            paramLabel = "CODE",
            defaultValue = "paritas-6-3",
            description =
                    "K data and R parity units: K-R, paritas-K-R, rs-K-R, isal-K-R, xor-K; or lrc-K-R-L with L local"
                            + " parity units in addition, so that the repair of a unit reads only K / L; or strip-K-R-W,"
                            + " which xors W strips of each chunk (default: ${DEFAULT-VALUE}). K-R means paritas-K-R where that shape exists, which is fastest,"
                            + " otherwise rs-K-R.")
    private CodeName code;

    @Option(
            names = "--chunk",
            paramLabel = "SIZE",
            converter = ChunkSizeConverter.class,
            description = "Bytes that one checksum covers, such as 4096, 256k or 1m; of strip-K-R-W a multiple of W"
                    + " (default: 256k, or just below for a strip code).")
    private ChunkSize chunk;

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "The directory for the units.")
    private Path directory;

    @Option(names = "--force", description = "Replace the units (*.paritas) that are in DIR.")
    private boolean force;

    @Override
    public Integer call() throws IOException {
        chunk = chunk == null ? UnitGroup.usualChunk(code) : chunk;
        check();
        Stopwatch stopwatch = Stopwatch.start();
        UnitGroup group = new Encoder(file, directory, force ? Existing.REPLACED : Existing.KEPT).encode(code, chunk);
        console.sumUp(
                "Encoded %s, %,d bytes, as %s into the %d units of %s: %s",
                file, group.fileLength(), code, code.n(), directory, stopwatch.rate(group.fileLength()));
        console.warn(TemporaryFiles.in(directory, Map.of(), any -> false));
        return 0;
    }

    private void check() throws IOException {
        try {
            UnitGroup.checkStripe(code, chunk);
        } catch (IllegalArgumentException e) {
            throw console.refusal("%s", e.getMessage());
        }
        checkFiles();
    }

    private void checkFiles() throws IOException {
        if (!Files.isRegularFile(file)) {
            throw console.refusal("FILE must be an existing file, got %s", file);
        }
        if (Files.notExists(directory)) {
            return;
        }
        if (!Files.isDirectory(directory)) {
            throw console.refusal("DIR must be a directory or not exist, got %s", directory);
        }
        console.checkNoUnit(file, directory);
        int units = UnitScan.unitFiles(directory).size();
        if (units > 0 && !force) {
            throw console.refusal("DIR must not have units, unless --force replaces them, %s has %d", directory, units);
        }
    }
}
