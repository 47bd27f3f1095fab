/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TunerTest {
    private final String before = System.getProperty(KernelSettings.TUNING.key());

    @TempDir
    private Path folder;

    @BeforeEach
    void isAvailable() {
        assumeTrue(
                Tuner.unavailable().isEmpty(),
                () -> "skipped: " + Tuner.unavailable().orElse(""));
        System.setProperty(
                KernelSettings.TUNING.key(), folder.resolve("tuning.txt").toString());
    }

    @AfterEach
    void putBack() {
        if (before == null) {
            System.clearProperty(KernelSettings.TUNING.key());
        } else {
            System.setProperty(KernelSettings.TUNING.key(), before);
        }
    }

    @Test
    void writesTheBestScheduleWhereKernelsFindIt() throws IOException {
        VectorSchedules schedules = new VectorSchedules(Program.product(new int[][] {{3, 5, 7}, {1, 200, 9}}));
        List<Tuner.Result> progress = new ArrayList<>();
        Tuner.Report report = Tuner.tune(schedules, Duration.ofSeconds(2), 1, progress::add);
        assertThat(report.tried()).isPositive();
        assertThat(progress).isNotEmpty();
        assertThat(progress.get(0).schedule()).isEqualTo(report.standard().schedule());
        assertThat(progress)
                .extracting(Tuner.Result::schedule)
                .contains(report.best().schedule());
        assertThat(report.standard().speed()).isPositive();
        if (report.best().schedule().equals(report.standard().schedule())) {
            assertThat(report.best()).as("one schedule has one speed").isEqualTo(report.standard());
            assertThat(report.choices()).isEmpty();
        } else {
            assertThat(report.choices())
                    .as("what differs from the standard schedule")
                    .isNotEmpty();
        }
        assertThat(report.file()).isEqualTo(folder.resolve("tuning.txt"));
        assertThat(Files.readString(report.file()))
                .contains(TuningFile.thisMachine() + " | 3 to 2 units, 13 bits | "
                        + report.best().schedule());
        assertThat(schedules.fastest()).isEqualTo(Schedule.parse(report.best().schedule()));
    }
}
