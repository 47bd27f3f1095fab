/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.cli.file.PendingFiles.Existing;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitGroup;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A file of random bytes and its units, for tests.
 *
 * @param seed what the bytes were made of
 * @param content the bytes
 * @param directory where the units are
 * @param group their group
 */
record Sample(long seed, byte[] content, Path directory, UnitGroup group) {
    /** Bytes per chunk. */
    static final int CHUNK = 16;

    /** Encodes random bytes into {@code home/units}. */
    static Sample of(Path home, String code, int length) throws IOException {
        return of(home, code, length, "units");
    }

    /** Encodes random bytes into a directory of that name. */
    static Sample of(Path home, String code, int length, String name) throws IOException {
        long seed = Long.getLong("seed", System.nanoTime());
        byte[] content = new byte[length];
        new Random(seed).nextBytes(content);
        Path file = Files.write(home.resolve(name + ".original"), content);
        Path directory = home.resolve(name);
        CodeName parsed = CodeName.parseForFiles(code);
        int chunk = CHUNK / parsed.strips() * parsed.strips();
        UnitGroup group = new Encoder(file, directory, Existing.KEPT).encode(parsed, new ChunkSize(chunk));
        return new Sample(seed, content, directory, group);
    }

    Path unit(int unit) {
        return directory.resolve(UnitGroup.fileName(unit));
    }

    /** Inverts a bit of a byte of the stripe's chunk. */
    void damage(int unit, long stripe) throws IOException {
        flip(unit, group.chunkPosition(stripe));
    }

    /** Inverts a bit of a byte of the unit's file. */
    void flip(int unit, long position) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(unit(unit).toFile(), "rw")) {
            file.seek(position);
            int old = file.read();
            file.seek(position);
            file.write(old ^ 0x10);
        }
    }

    /** Decodes the units as they are now. */
    byte[] decoded() throws IOException {
        Path file = directory.resolveSibling("decoded");
        new Decoder(UnitScan.scan(directory), Existing.KEPT).decode(file);
        byte[] decoded = Files.readAllBytes(file);
        Files.delete(file);
        return decoded;
    }

    Inspection inspected() throws IOException {
        return Inspector.inspect(UnitScan.scan(directory));
    }

    /** The names of all files of a directory, sorted. */
    static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** What is in the directory, byte by byte. */
    Map<String, String> bytes() throws IOException {
        Map<String, String> bytes = new TreeMap<>();
        for (String name : names(directory)) {
            bytes.put(name, HexFormat.of().formatHex(Files.readAllBytes(directory.resolve(name))));
        }
        return bytes;
    }

    @Override
    public String toString() {
        return group + ", seed " + seed;
    }
}
