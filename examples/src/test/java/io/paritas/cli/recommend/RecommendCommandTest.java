/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.recommend;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is refused, before a cluster is started. */
class RecommendCommandTest {
    @TempDir
    Path folder;

    @Test
    void numbersThatDoNotFitAreRefused() {
        Run run = Run.paritas("recommend", "--out", folder, "--servers", 3, "--k", 3);
        assertThat(run.status()).isNotZero();
        assertThat(run.err()).contains("--k must be at least 1 and below --servers, got 3 and 3");
        for (int rows : new int[] {0, 25}) {
            assertThat(Run.paritas("recommend", "--out", folder, "--rows", rows).err())
                    .contains("--rows must be at least 26, one for each categorical value, got " + rows);
        }
        for (String option : List.of("--samples", "--dimension", "--workers", "--batch")) {
            assertThat(Run.paritas("recommend", "--out", folder, option, 0).err())
                    .contains(option + " must be at least 1, got 0");
        }
    }

    @Test
    void everyNeedsABaseline() {
        assertThat(Run.paritas("recommend", "--out", folder, "--every", 5).err())
                .contains(
                        "--every is the time between the checkpoints of --baseline checkpoint, which is missing: add it");
        assertThat(Run.paritas("recommend", "--out", folder, "--baseline", "checkpoint", "--every", 0)
                        .err())
                .contains("--every must be at least 1, got 0");
    }

    @Test
    void nothingIsOverwritten() throws IOException {
        Files.createFile(folder.resolve("coded.csv"));
        Run run = Run.paritas("recommend", "--out", folder);
        assertThat(run.status()).isNotZero();
        assertThat(run.err()).contains("--out must be new or empty, " + folder + " has files: name another directory");
    }
}
