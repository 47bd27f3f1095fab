/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.UnitGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random damage and random commands. What the commands must do follows from {@code docs/format.md}. */
class RandomDamageTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_127L);

    /** More of them with {@code -Dio.paritas.test.damages=N}. */
    private static final int CASES = Integer.getInteger("io.paritas.test.damages", 10);

    private static final List<String> CODES = List.of(
            "rs-3-2",
            "rs-1-3",
            "rs-20-5",
            "isal-4-3",
            "xor-4",
            "paritas-6-3",
            "paritas-8-4",
            "lrc-6-2-2",
            "lrc-16-2-4",
            "strip-1-1-1",
            "strip-3-3-5",
            "strip-4-2-8");

    @TempDir
    private Path home;

    /** What was done, for the message of a failure. */
    private final List<String> steps = new ArrayList<>();

    private Random random;
    private Encoded ours;
    private Encoded other;
    private Path units;

    static LongStream seeds() {
        return LongStream.range(SEED, SEED + CASES);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void commandsTellDamageAndUndoIt(long seed) throws Exception {
        random = new Random(seed);
        ours = encoded("units");
        other = encoded("other");
        units = ours.sample().directory();
        for (int command = 0; command < 4; command++) {
            int count = random.nextInt(2 + ours.parity());
            for (int damage = 0; damage < count; damage++) {
                damage();
            }
            switch (random.nextInt(3)) {
                case 0 -> verify();
                case 1 -> decode();
                default -> repair();
            }
        }
    }

    private Encoded encoded(String name) throws IOException {
        String code = CODES.get(random.nextInt(CODES.size()));
        int stripe = CodeName.parseForFiles(code).k() * Sample.CHUNK;
        int length = Math.max(0, random.nextInt(4) * stripe + random.nextInt(3) - 1);
        return Encoded.of(Sample.of(home, code, random.nextBoolean() ? length : random.nextInt(5 * stripe), name));
    }

    private void verify() throws IOException {
        Outlook outlook = Outlook.of(units, ours, other);
        Map<String, String> before = contents();
        Run run = run("verify", units);
        int damaged = outlook.chosen().isPresent() ? 1 : 3;
        assertThat(run.status()).as("%s", this).isEqualTo(outlook.sound() ? 0 : damaged);
        outlook.chosen().ifPresent(chosen -> {
            assertThat(run.out())
                    .as("%s", this)
                    .contains(
                            outlook.sound()
                                    ? "\nall units are sound\n"
                                    : outlook.hopeful() ? "\neverything can be repaired\n" : " cannot be repaired, ");
            assertThat(run.out().lines().filter(line -> line.startsWith("  unit ")))
                    .as("%s", this)
                    .hasSameSizeAs(outlook.troubled());
        });
        assertThat(contents()).as("%s", this).isEqualTo(before);
    }

    private void decode() throws IOException {
        Outlook outlook = Outlook.of(units, ours, other);
        Path file = home.resolve("decoded");
        Files.writeString(file, "old");
        Map<String, String> expected = contents();
        Run run = run("decode", units, "--out", file, "--force");
        assertThat(run.status()).as("%s", this).isEqualTo(outlook.hopeful() ? 0 : 1);
        if (outlook.hopeful()) {
            expected.put(
                    "decoded", describe(outlook.chosen().orElseThrow().sample().content()));
        }
        assertThat(contents()).as("%s", this).isEqualTo(expected);
    }

    private void repair() throws IOException {
        Outlook outlook = Outlook.of(units, ours, other);
        Optional<Map<Path, byte[]>> repaired = outlook.repaired();
        Map<String, String> expected = contents();
        Run run = run("repair", units);
        assertThat(run.status()).as("%s", this).isEqualTo(repaired.isPresent() ? 0 : 1);
        repaired.orElse(Map.of()).forEach((file, bytes) -> expected.put(name(file), describe(bytes)));
        assertThat(contents()).as("%s", this).isEqualTo(expected);
    }

    private Run run(Object... arguments) {
        Run run = Run.paritas(arguments);
        steps.add("paritas " + Arrays.toString(arguments) + ": " + run);
        assertThat(run.err()).as("%s", this).doesNotContain("\tat ");
        return run;
    }

    private void damage() throws IOException {
        List<Path> files = UnitScan.unitFiles(units);
        Path file = files.isEmpty() ? place() : files.get(random.nextInt(files.size()));
        int what = random.nextInt(12);
        steps.add("damage " + what + " of " + file.getFileName());
        switch (what) {
            case 0, 1 -> Files.deleteIfExists(file);
            case 2 ->
                put(place(), other.units().get(random.nextInt(other.units().size())));
            case 3 -> put(place(), new byte[random.nextInt(100)]);
            case 4 -> swap(file, place());
            case 5 -> Files.createSymbolicLink(freed(place()), home.resolve("gone"));
            case 6 -> Files.createDirectory(freed(place()));
            case 7 -> moveBehindALink(file);
            case 8 -> Files.write(units.resolve("unit-000.paritas.1.tmp"), new byte[3]);
            default -> change(file);
        }
    }

    /** A name of a unit, or another one. */
    private Path place() {
        int unit = random.nextInt(ours.units().size() + 1);
        return units.resolve(unit < ours.units().size() ? UnitGroup.fileName(unit) : "größe %s.paritas");
    }

    private static Path freed(Path file) throws IOException {
        Files.deleteIfExists(file);
        return file;
    }

    private static void put(Path file, byte[] bytes) throws IOException {
        Files.write(freed(file), bytes);
    }

    private void swap(Path one, Path two) throws IOException {
        if (exists(one) && exists(two) && !one.equals(two)) {
            Path between = Files.move(one, units.resolve("between"));
            Files.move(two, one);
            Files.move(between, two);
        } else if (exists(one) && !exists(two)) {
            Files.move(one, two);
        }
    }

    private static boolean exists(Path file) {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    }

    private void moveBehindALink(Path file) throws IOException {
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            Path disk = Files.createDirectories(home.resolve("disk"));
            Path moved =
                    Files.move(file, disk.resolve("file" + Sample.names(disk).size()));
            Files.createSymbolicLink(file, moved);
        }
    }

    /** Changes a bit or the length. */
    private void change(Path file) throws IOException {
        if (!Files.isRegularFile(file) || Files.size(file) == 0) {
            return;
        }
        byte[] bytes = Files.readAllBytes(file);
        int position = random.nextInt(bytes.length);
        switch (random.nextInt(6)) {
            case 0 -> Files.write(file, Arrays.copyOf(bytes, position));
            case 1 -> Files.write(file, new byte[1 + position], StandardOpenOption.APPEND);
            default -> {
                bytes[position] = (byte) (bytes[position] ^ 1 << random.nextInt(8));
                Files.write(file, bytes);
            }
        }
    }

    /** All below the home, links and folders too. */
    private Map<String, String> contents() throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.toList()) {
                contents.put(name(file), describe(file));
            }
        }
        return contents;
    }

    private String name(Path file) {
        return home.relativize(file).toString();
    }

    private static String describe(Path file) throws IOException {
        if (Files.isSymbolicLink(file)) {
            return "link to " + Files.readSymbolicLink(file);
        }
        return Files.isDirectory(file) ? "folder" : describe(Files.readAllBytes(file));
    }

    private static String describe(byte[] bytes) {
        return bytes.length + " bytes " + Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return ours + "\n" + String.join("\n", steps);
    }
}
