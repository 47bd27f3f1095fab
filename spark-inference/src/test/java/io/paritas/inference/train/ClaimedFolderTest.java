/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaimedFolderTest {
    @TempDir
    private Path home;

    private Path folder;

    @BeforeEach
    void name() {
        folder = home.resolve("new/models");
    }

    /** Claims a folder. */
    static final class Other {
        public static void main(String[] arguments) throws IOException {
            try (ClaimedFolder claimed = TrainingFiles.BASE.claim(Path.of(arguments[0]))) {
                System.out.println("CLAIMED");
            } catch (IllegalStateException e) {
                System.out.println("REFUSED");
            }
        }
    }

    private String otherProcess() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Other.class.getName(),
                        folder.toString()))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.strip();
    }

    /** The system ends the locks of a process on a file when that closes the file, however often it has it open. */
    @Test
    void isClaimedForOtherProcessesAfterThisOneHasTriedAgain() throws Exception {
        try (ClaimedFolder claimed = TrainingFiles.BASE.claim(folder)) {
            assertThat(otherProcess()).isEqualTo("REFUSED");
            assertThatIllegalStateException()
                    .isThrownBy(() -> TrainingFiles.BASE.claim(home.resolve("new/../new/models")))
                    .withMessage(
                            "one training or calibration at a time writes into " + home.resolve("new/../new/models")
                                    + ", and another one holds base.checkpoint.lock: wait until it has ended");

            assertThat(otherProcess()).isEqualTo("REFUSED");
            try (ClaimedFolder code = TrainingFiles.CODE.claim(folder)) {
                assertThat(otherProcess()).as("another kind of training").isEqualTo("REFUSED");
            }
        }

        assertThat(folder).as("is new and has nothing").doesNotExist();
        assertThat(otherProcess()).isEqualTo("CLAIMED");
        TrainingFiles.BASE.claim(folder).close();
    }

    /** As on a disk that is full: what must be written into the locked file fails, and can be written the next time. */
    @Test
    void aClaimThatFailedIsNotHeld() throws Exception {
        Thread.currentThread().interrupt();
        try {
            assertThatExceptionOfType(ClosedByInterruptException.class)
                    .isThrownBy(() -> TrainingFiles.BASE.claim(folder));
        } finally {
            Thread.interrupted();
        }

        assertThat(otherProcess()).isEqualTo("CLAIMED");
        TrainingFiles.BASE.claim(folder).close();
    }

    /** In a folder where others may write, it may be theirs, and lead to any file of this user. */
    @Test
    void aLinkInThePlaceOfTheLockIsNotFollowed() throws Exception {
        Path precious = Files.writeString(home.resolve("precious"), "data");
        Path link = Files.createDirectories(folder).resolve("base.checkpoint.lock");
        Files.createSymbolicLink(link, precious);

        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> TrainingFiles.BASE.claim(folder))
                .withMessage(folder.toRealPath().resolve(link.getFileName())
                        + ": a lock must be a file of its own, it is a link, a pipe or the like: delete it");

        assertThat(precious).hasContent("data");
        Files.delete(link);
        TrainingFiles.BASE.claim(folder).close();
    }

    /** To open one would be to wait until somebody reads it. */
    @Test
    void aPipeInThePlaceOfTheLockIsNotOpened() throws Exception {
        Path pipe = Files.createDirectories(folder).resolve("base.checkpoint.lock");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();

        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> TrainingFiles.BASE.claim(folder))
                .withMessage(folder.toRealPath().resolve(pipe.getFileName())
                        + ": a lock must be a file of its own, it is a link, a pipe or the like: delete it");
    }

    @Test
    void whatIsWrittenStays() throws Exception {
        try (ClaimedFolder claimed = TrainingFiles.BASE.claim(folder)) {
            Files.createFile(folder.resolve("base.onnx"));
        }

        assertThat(folder.toFile().list()).containsExactly("base.onnx");
    }

    @Test
    void aLinkMayLeadToAFolderThatIsToBeMade() throws Exception {
        Path link = Files.createSymbolicLink(home.resolve("link"), Path.of("new/models"));
        TrainingFiles.BASE.claim(link).close();
        assertThat(link).isSymbolicLink();
        assertThat(folder).as("is new and has nothing").doesNotExist();

        try (ClaimedFolder claimed = TrainingFiles.BASE.claim(link)) {
            Files.createFile(link.resolve("base.onnx"));
        }
        assertThat(link).isSymbolicLink();
        assertThat(folder.toFile().list()).containsExactly("base.onnx");
    }
}
