/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paritas.cli.file.PendingFiles.Existing;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PendingFilesTest {
    @TempDir
    private Path home;

    @Test
    void filesAppearWhenTheyArePublished() throws Exception {
        Path model = Files.createFile(home.resolve("model"));
        Path target = Files.writeString(home.resolve("target"), "old");
        try (PendingFiles files = PendingFiles.in(home, Existing.REPLACED)) {
            files.add(target).write(ByteBuffer.wrap(new byte[] {'n', 'e', 'w'}));
            assertThat(target).hasContent("old");
            files.publish(Access.commonTo(List.of(model)));
        }
        assertThat(target).hasContent("new");
        assertThat(Sample.names(home)).containsExactly("model", "target");
    }

    @Test
    void untilThenOnlyTheirOwnerReadsThem() throws Exception {
        try (PendingFiles files = PendingFiles.in(home, Existing.REPLACED)) {
            files.add(home.resolve("target"));
            String name = Sample.names(home).get(0);
            assertThat(name).startsWith("target.").endsWith(".tmp");
            assertThat(Files.getPosixFilePermissions(home.resolve(name)))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
    }

    /** The place is not obvious: a repaired unit may lie behind a link. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskNamesTheFile() throws Exception {
        Path target = home.resolve("target");
        Path full = Path.of("/dev/full");
        try (FileChannel channel = FileChannel.open(full, StandardOpenOption.WRITE)) {
            PendingFiles.Pending file = new PendingFiles.Pending(target, full, channel, null);
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> file.write(ByteBuffer.wrap(new byte[10])))
                    .withMessage(target + ": No space left on device")
                    .withCauseInstanceOf(IOException.class);
        }
    }

    /** As on network file systems, which say only then that a disk is full. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void whatCannotBeForcedToDiskNamesTheFile() throws Exception {
        Path target = home.resolve("target");
        Path device = Path.of("/dev/null");
        try (FileChannel channel = FileChannel.open(device, StandardOpenOption.WRITE)) {
            PendingFiles.Pending file = new PendingFiles.Pending(target, device, channel, null);
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> file.complete(Access.commonTo(List.of())))
                    .withMessage(target + ": Invalid argument");
        }
    }

    /** File systems allow 255 bytes: the temporary file's name must not be longer. */
    @ParameterizedTest
    @ValueSource(strings = {"x", "\u00fc", "\u6587", "\ud83d\ude00"})
    void namesMayBeAsLongAsFileSystemsAllow(String character) throws Exception {
        int bytes = character.getBytes(StandardCharsets.UTF_8).length;
        Path target = home.resolve(character.repeat(255 / bytes));
        try (PendingFiles files = PendingFiles.in(home, Existing.KEPT)) {
            files.add(target);
            files.publish(Access.commonTo(List.of()));
        }
        assertThat(Sample.names(home)).containsExactly(target.getFileName().toString());
    }

    @Test
    void whatIsNotPublishedIsDeleted() throws Exception {
        Path directory = home.resolve("new");
        try (PendingFiles files = PendingFiles.creating(directory, Existing.KEPT)) {
            files.add(directory.resolve("one"));
            files.add(directory.resolve("two"));
            assertThat(Sample.names(directory)).hasSize(2);
        }
        assertThat(directory).doesNotExist();
    }

    @Test
    void aDirectoryThatWasThereBeforeStays() throws Exception {
        try (PendingFiles files = PendingFiles.creating(home, Existing.KEPT)) {
            files.add(home.resolve("one"));
        }
        assertThat(home).isEmptyDirectory();
    }

    /** Two encodes into one directory, or two decodes into one file, run at the same time. */
    @Test
    void aFileThatAppearsInTheMeantimeIsKept() throws Exception {
        Path model = Files.createFile(home.resolve("model"));
        Path second = home.resolve("second");
        try (PendingFiles files = PendingFiles.in(home, Existing.KEPT)) {
            files.add(home.resolve("first"));
            files.add(second);
            Files.writeString(second, "of another");
            assertThatExceptionOfType(FileAlreadyExistsException.class)
                    .isThrownBy(() -> files.publish(Access.commonTo(List.of(model))))
                    .withMessage(second + ": it appeared in the meantime and is kept; --force would replace it");
        }
        assertThat(second).hasContent("of another");
        assertThat(Sample.names(home)).containsExactly("model", "second");
    }

    /** As if another had taken the name after it was found free: that of the first file is given back. */
    @Test
    void aNameThatIsTakenWhileNamesAreGivenTakesBackTheOthers() throws Exception {
        Path model = Files.createFile(home.resolve("model"));
        Path twice = home.resolve("twice");
        try (PendingFiles files = PendingFiles.in(home, Existing.KEPT)) {
            files.add(home.resolve("first"));
            files.add(twice);
            files.add(twice);
            assertThatExceptionOfType(FileAlreadyExistsException.class)
                    .isThrownBy(() -> files.publish(Access.commonTo(List.of(model))))
                    .withMessage(twice + ": it appeared in the meantime and is kept; --force would replace it");
        }
        assertThat(Sample.names(home)).containsExactly("model");
    }

    /** As where one of them is on a disk that has failed. What was encoded is whole, and so it must stay. */
    @Test
    void whatCannotReplaceAnOldFileWhereAnotherHasStays() throws Exception {
        for (String name : List.of("a", "b", "c")) {
            Files.writeString(home.resolve(name), "old");
        }
        try (PendingFiles files = PendingFiles.in(home, Existing.REPLACED)) {
            for (String name : List.of("a", "b", "c")) {
                files.add(home.resolve(name)).write(ByteBuffer.wrap(new byte[] {'n', 'e', 'w'}));
            }
            Files.delete(home.resolve("b"));
            Files.createDirectories(home.resolve("b/in the way"));
            Files.createDirectories(home.resolve("b.new/in the way"));
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> files.publish(Access.commonTo(List.of(home.resolve("c")))))
                    .withMessageMatching(home.resolve("b")
                            + ": it cannot be replaced \\(.*[Dd]irectory.*\\), and 1 of 3 files have"
                            + " been: the others are complete under temporary names, this one as "
                            + home.resolve("b") + "\\.\\d+\\.tmp: rename them when this is mended, or delete them"
                            + " and do it again");
        }
        List<String> names = Sample.names(home);
        assertThat(String.join(" ", names)).matches("a b b\\.\\d+\\.tmp b\\.new c c\\.\\d+\\.tmp");
        assertThat(Stream.of("a", names.get(2), names.get(5)).map(home::resolve))
                .allSatisfy(file -> assertThat(file).hasContent("new"));
        assertThat(home.resolve("c")).hasContent("old");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    void whereNoOldFileIsReplacedYetNothingNewStays(String blocked) throws Exception {
        try (PendingFiles files = PendingFiles.in(home, Existing.REPLACED)) {
            files.add(home.resolve("a"));
            files.add(home.resolve("b"));
            Files.createDirectories(home.resolve(blocked).resolve("in the way"));
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> files.publish(Access.commonTo(List.of(home))));
        }
        assertThat(Sample.names(home)).containsExactly(blocked);
    }

    /** The program that runs in a JVM of its own, and ends without closing its files. */
    static final class Main {
        static final int FILES = 300;

        public static void main(String[] arguments) throws IOException {
            Path home = Path.of(arguments[0]);
            if (List.of(arguments).contains("names")) {
                exitWhileNamesAreGiven(home);
                return;
            }
            if (List.of(arguments).contains("adds")) {
                exitWhileFilesAreAdded(home.resolve("new"));
                return;
            }
            PendingFiles files = PendingFiles.in(home, Existing.REPLACED);
            files.add(home.resolve("a"));
            files.add(home.resolve("b"));
            if (arguments.length > 1) {
                Files.createDirectories(home.resolve("b/in the way"));
                try {
                    files.publish(Access.commonTo(List.of(home)));
                } catch (FileSystemException e) {
                    System.exit(3);
                }
            }
            System.exit(2);
        }

        private static void exitWhileNamesAreGiven(Path home) throws IOException {
            PendingFiles files = PendingFiles.in(home, Existing.REPLACED);
            for (int file = 0; file < FILES; file++) {
                files.add(home.resolve("" + file)).write(ByteBuffer.wrap(new byte[] {'n', 'e', 'w'}));
            }
            File first = home.resolve("0").toFile();
            new Thread(() -> {
                        while (first.length() != 3) {
                            Thread.onSpinWait();
                        }
                        System.exit(4);
                    })
                    .start();
            files.publish(Access.commonTo(List.of(home)));
        }

        private static void exitWhileFilesAreAdded(Path directory) throws IOException {
            PendingFiles files = PendingFiles.creating(directory, Existing.KEPT);
            try {
                for (int file = 0; file < FILES; file++) {
                    files.add(directory.resolve("" + file));
                    if (file == 0) {
                        new Thread(() -> System.exit(4)).start();
                    }
                }
                Thread.sleep(60_000);
            } catch (InterruptedException | InterruptedIOException e) {
                assertThat(e).hasMessage("the program ends: nothing is written");
            }
        }
    }

    private int exit(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                home.toString()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    /** As an interrupted one. What may be all that there is of a group stays there, too. */
    @Test
    void aProgramThatEndsDeletesWhatHasReplacedNothing() throws Exception {
        Files.writeString(home.resolve("a"), "old");
        assertThat(exit()).isEqualTo(2);
        assertThat(Sample.names(home)).containsExactly("a");
        assertThat(exit("publish")).isEqualTo(3);
        assertThat(String.join(" ", Sample.names(home))).matches("a b b\\.\\d+\\.tmp");
    }

    /** With some of the names, neither the old files nor the new ones may be enough. */
    @Test
    void aProgramThatIsInterruptedWhileItGivesNamesGivesAllOfThem() throws Exception {
        for (int file = 0; file < Main.FILES; file++) {
            Files.writeString(home.resolve("" + file), "one before");
        }
        assertThat(exit("names")).isEqualTo(4);
        assertThat(Sample.names(home)).hasSize(Main.FILES);
        for (int file = 0; file < Main.FILES; file++) {
            assertThat(home.resolve("" + file)).hasContent("new");
        }
    }

    @Test
    void aProgramThatIsInterruptedWhileItStartsFilesLeavesNone() throws Exception {
        assertThat(exit("adds")).isEqualTo(4);
        assertThat(home).isEmptyDirectory();
    }

    /** What came of two that published six files at the same time: {@code a} and {@code b} say which succeeded. */
    private record Race(boolean a, boolean b, Path directory) {
        Set<String> contents() throws IOException {
            Set<String> contents = new HashSet<>();
            for (int file = 0; file < 6; file++) {
                contents.add(Files.readString(directory.resolve("" + file)));
            }
            return contents;
        }
    }

    private List<Race> races(Existing existing) throws Exception {
        Path model = Files.createFile(home.resolve("model"));
        ExecutorService threads = Executors.newFixedThreadPool(2);
        List<Race> races = new ArrayList<>();
        try {
            for (int round = 0; round < 60; round++) {
                Path directory = Files.createDirectory(home.resolve("round-" + round));
                CyclicBarrier start = new CyclicBarrier(2);
                Future<Boolean> other = threads.submit(() -> publishes(directory, 'b', model, start, existing));
                boolean one = publishes(directory, 'a', model, start, existing);
                races.add(new Race(one, other.get(), directory));
            }
        } finally {
            threads.shutdownNow();
        }
        return races;
    }

    /** Units of two encodes would not fit each other. */
    @Test
    void ofTwoThatPublishAtTheSameTimeOneWinsEveryName() throws Exception {
        for (Race race : races(Existing.KEPT)) {
            assertThat(race.b()).as("%s", race).isEqualTo(!race.a());
            assertThat(Sample.names(race.directory())).containsExactly("0", "1", "2", "3", "4", "5");
            assertThat(race.contents()).as("%s", race).containsExactly(race.a() ? "a" : "b");
        }
    }

    /** One of them is told if units of both are there. */
    @Test
    void ofTwoThatReplaceAtTheSameTimeBothSucceedOnlyWithTheFilesOfOne() throws Exception {
        for (Race race : races(Existing.REPLACED)) {
            boolean both = race.a() && race.b();
            assertThat(both && race.contents().size() > 1).as("%s", race).isFalse();
        }
    }

    private static boolean publishes(Path directory, char content, Path model, CyclicBarrier start, Existing existing)
            throws Exception {
        try (PendingFiles files = PendingFiles.in(directory, existing)) {
            for (int file = 0; file < 6; file++) {
                files.add(directory.resolve("" + file)).write(ByteBuffer.wrap(new byte[] {(byte) content}));
            }
            start.await();
            files.publish(Access.commonTo(List.of(model)));
            return true;
        } catch (FileAlreadyExistsException e) {
            assertThat(e).hasMessageEndingWith(": it appeared in the meantime and is kept; --force would replace it");
            return false;
        } catch (FileSystemException e) {
            assertThat(e)
                    .hasMessageEndingWith(": another program has replaced it at the same time: do this again, alone");
            return false;
        }
    }
}
