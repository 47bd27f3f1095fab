/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.recommend;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        assertThat(run.err())
                .contains("--k must be at least 1 and below --servers, and the other numbers at least 1, got 3 and 3");
        assertThat(Run.paritas("recommend", "--out", folder, "--rows", 25).err())
                .contains("--rows must be at least 26, one for each categorical value, got 25");
    }

    @Test
    void nothingIsOverwritten() throws IOException {
        Files.createFile(folder.resolve("coded.csv"));
        Run run = Run.paritas("recommend", "--out", folder);
        assertThat(run.status()).isNotZero();
        assertThat(run.err()).contains("--out must be new or empty, " + folder + " has files: name another directory");
    }
}
