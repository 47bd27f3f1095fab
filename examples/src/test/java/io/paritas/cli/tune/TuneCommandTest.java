/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.cli.Run;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.Tuner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TuneCommandTest {
    private static final String FILE = "io.paritas.kernel.tuning";

    private final String before = System.getProperty(FILE);

    @TempDir
    private Path folder;

    @BeforeEach
    void ownFile() {
        System.setProperty(FILE, folder.resolve("tuning.txt").toString());
    }

    @AfterEach
    void putBack() {
        if (before == null) {
            System.clearProperty(FILE);
        } else {
            System.setProperty(FILE, before);
        }
    }

    private static void assumeVectors() {
        assumeTrue(
                Tuner.unavailable().isEmpty(),
                () -> "skipped: " + Tuner.unavailable().orElse(""));
    }

    @Test
    void tunesEncodeAndDecodeAndKeepsTheResult() throws IOException {
        assumeVectors();
        Run run = Run.paritas("tune", "--code", "paritas-3-2", "--budget", "3s");
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains("seed 1", "paritas-3-2 encode: 3 to 2 units, 1 s", "paritas-3-2 decode 2", "GB/s  timesX=")
                .contains("written to " + folder.resolve("tuning.txt"));
        assertThat(run.out().contains("Codes of bytes run on machine code in this JVM, which has no schedule to tune."))
                .isEqualTo(KernelChoice.current().provider().name().equals("machine"));
        assertThat(Files.readString(folder.resolve("tuning.txt"))).contains("| 3 to 2 units,", "| 3 to 1 units,");
    }

    @Test
    void aFileThatCannotBeWrittenIsNamedBeforeAnythingIsMeasured() throws IOException {
        assumeVectors();
        Path inTheWay = Files.createFile(folder.resolve("home"));
        System.setProperty(FILE, inTheWay.resolve("tuning.txt").toString());
        Run run = Run.paritas("tune", "--code", "paritas-3-2", "--budget", "3s");
        assertThat(run.err()).contains("another file is in the place of " + inTheWay);
        assertThat(run.out()).doesNotContain("GB/s");
        assertThat(run.status()).isEqualTo(1);
    }

    @Test
    void aFolderIsRefusedBeforeAnythingIsMeasured() {
        assumeVectors();
        System.setProperty(FILE, folder.toString());
        Run run = Run.paritas("tune", "--code", "paritas-3-2", "--budget", "3s");
        assertThat(run.err())
                .contains(folder + ": the file for schedules must not be a folder: name another one with"
                        + " -Dio.paritas.kernel.tuning");
        assertThat(run.out()).doesNotContain("GB/s");
        assertThat(run.status()).isEqualTo(1);
    }

    @Test
    void tunesStripsInBothForms() throws IOException {
        assumeVectors();
        Run run = Run.paritas("tune", "--code", "strip-2-1-2", "--budget", "2s");
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains(
                        "strip-2-1-2 encode: 2 to 1 units, 1 s", "GB/s  form=program scheduler=depth_first block=2048")
                .doesNotContain("machine code");
        assertThat(Files.readString(folder.resolve("tuning.txt"))).contains("| 4 to 2 strips,", "| form=");
    }

    @Test
    void printsNumbersAlikeInEveryLocale() {
        assumeVectors();
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertThat(Run.paritas("tune", "--code", "strip-2-1-2", "--budget", "1s")
                            .out())
                    .containsPattern("\\d\\.\\d GB/s  form=")
                    .containsPattern("the best is \\d+\\.\\d\\d times as fast")
                    .doesNotContainPattern("\\d,\\d GB/s");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void saysWhatABudgetIs() {
        Run run = Run.paritas("tune", "--budget", "soon");
        assertThat(run.status()).isNotZero();
        assertThat(run.err()).contains("a budget must be 1 to 999999 seconds, such as 60s, got 'soon'");
    }
}
