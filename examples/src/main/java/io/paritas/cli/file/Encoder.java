/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.cli.file.PendingFiles.Existing;
import io.paritas.cli.file.PendingFiles.Pending;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.SystematicCode;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.StripeBuffer;
import io.paritas.erasure.file.UnitGroup;
import io.paritas.erasure.file.UnitHeader;
import io.paritas.inference.CompleteFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Encodes a file into units.
 *
 * @param file to encode
 * @param directory for the units
 * @param existing units of the directory: if kept, there must be none in it
 */
record Encoder(Path file, Path directory, Existing existing) {
    /** Encodes the file. */
    UnitGroup encode(CodeName code, ChunkSize chunk) throws IOException {
        FileTime written = Files.getLastModifiedTime(file);
        try (FileChannel input = FileChannel.open(file);
                PendingFiles units = PendingFiles.creating(directory, existing)) {
            UnitGroup group = new UnitGroup(code, chunk, input.size(), UUID.randomUUID());
            encode(group, input, create(group, units));
            if (input.size() != group.fileLength()) {
                throw changed(group);
            }
            if (read(input, group.fileLength(), ByteBuffer.allocate(1)).hasRemaining()) {
                throw longer(group);
            }
            if (!Files.getLastModifiedTime(file).equals(written)) {
                throw new IOException(
                        "a file must not change while it is encoded, " + file + " has been written to. Try again");
            }
            List<Path> outdated = UnitScan.unitFiles(directory);
            units.publish(Access.commonTo(List.of(file)));
            if (existing == Existing.REPLACED) {
                delete(outdated, group);
            }
            return group;
        }
    }

    /** Writes the header of each unit. */
    private SortedMap<Integer, Pending> create(UnitGroup group, PendingFiles units) throws IOException {
        SortedMap<Integer, Pending> outputs = new TreeMap<>();
        for (int unit = 0; unit < group.code().n(); unit++) {
            Pending output = units.add(directory.resolve(UnitGroup.fileName(unit)));
            output.write(new UnitHeader(group, unit).bytes());
            outputs.put(unit, output);
        }
        return outputs;
    }

    private void encode(UnitGroup group, FileChannel input, SortedMap<Integer, Pending> outputs) throws IOException {
        SystematicCode code = group.code().systematicCode();
        StripeBuffer buffer = new StripeBuffer(group);
        try (Progress progress = Progress.of("encode", group.fileLength())) {
            for (long stripe = 0; stripe < group.stripes(); stripe++) {
                read(group, stripe, input, buffer);
                code.encode(buffer.data(), buffer.parity());
                Transfers.write(outputs, buffer);
                progress.advance(group.dataLength(stripe));
            }
        }
    }

    private void read(UnitGroup group, long stripe, FileChannel input, StripeBuffer buffer) throws IOException {
        buffer.begin(group.cellLength(stripe));
        for (int unit = 0; unit < group.code().k(); unit++) {
            int length = group.dataLength(stripe, unit);
            ByteBuffer cell = read(input, group.filePosition(stripe, unit), buffer.cell(unit, length));
            if (cell.remaining() != length) {
                throw changed(group);
            }
            buffer.pad(unit, length);
        }
    }

    private ByteBuffer read(FileChannel input, long position, ByteBuffer target) throws IOException {
        try {
            return Transfers.read(input, position, target);
        } catch (IOException e) {
            throw CompleteFile.named(file, e);
        }
    }

    private EOFException changed(UnitGroup group) {
        return new EOFException("a file must not change while it is encoded, " + file + " had " + group.fileLength()
                + " bytes at the start and has another length now. Try again");
    }

    private IOException longer(UnitGroup group) {
        return new IOException("a file must be as long as its file system says, " + file + " has more than "
                + group.fileLength() + " bytes. Copy it, and encode the copy");
    }

    /** Deletes units of an earlier encode that were not replaced, and links to such, even if the disk behind them is gone. */
    private void delete(List<Path> outdated, UnitGroup group) throws IOException {
        List<Path> current = new ArrayList<>();
        for (int unit = 0; unit < group.code().n(); unit++) {
            current.add(directory.resolve(UnitGroup.fileName(unit)));
        }
        for (Path file : outdated) {
            if (!current.contains(file) && (Files.isRegularFile(file) || Files.isSymbolicLink(file))) {
                Files.delete(file);
            }
        }
    }
}
