/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.recommend;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is refused, before a cluster is started. */
class RecommendCommandTest {
    @TempDir
    Path folder;

    @Test
    void numbersThatDoNotFitAreRefused() {
        for (int rows : new int[] {0, 25}) {
            assertThat(Run.paritas("recommend", "--out", folder, "--rows", rows).err())
                    .contains("--rows must be at least 26, one for each categorical value, got " + rows);
        }
        for (String option : List.of("--samples", "--dimension", "--workers", "--batch", "--k")) {
            assertThat(Run.paritas("recommend", "--out", folder, option, 0).err())
                    .contains(option + " must be at least 1, got 0");
        }
    }

    @Test
    void everyNeedsABaseline() {
        assertThat(Run.paritas("recommend", "--out", folder, "--every", 5).err())
                .contains(
                        "--every is the time between checkpoints, of which there are none: add --checkpoints DIR or --baseline"
                                + " checkpoint");
        assertThat(Run.paritas("recommend", "--out", folder, "--baseline", "checkpoint", "--every", 0)
                        .err())
                .contains("--every must be at least 1, got 0");
    }

    @Test
    void stripesThatDoNotFitOnTheServersAreRefused() {
        refuses("--r must be 1 or 2, got 3", "--r", "3");
        String rule =
                "--k and --r must together be no more than --servers, one server for each row and parity of a stripe, got ";
        refuses(rule + "3, 1 and 3", "--servers", "3", "--k", "3");
        refuses(rule + "2, 2 and 3", "--r", "2");
    }

    /** Each with what it lacks. */
    @Test
    void optionsThatDoNotFitEachOtherAreRefused() {
        refuses(
                "--label, --dense, --categorical, --scale, --vocabulary and --held-out describe the files of --data, which is"
                        + " missing: add it",
                "--label",
                "y");
        refuses("--dense and --categorical must be given together", "--data", "x", "--dense", "a,b");
        refuses("--label and --scale need --dense and --categorical", "--data", "x", "--scale", "log");
        refuses("--vocabulary must be at least 1, got 0", "--data", "x", "--vocabulary", "0");
        refuses("--held-out must be at least 0 and below 1, got 1.0", "--data", "x", "--held-out", "1");
        refuses("--samples is how many samples are generated, and --data has its own", "--data", "x", "--samples", "5");
        refuses("--rows must be at least 1, got 0", "--data", "x", "--rows", "0");
        refuses("--data must name a file or a folder, there is none at no/such", "--data", "no/such");
        refuses("--epochs must be at least 1, got 0", "--epochs", "0");
        refuses("--patience must be at least 1, got 0", "--patience", "0");
        refuses(
                "--patience needs samples to evaluate the model with, of which --held-out 0 leaves none: hold some out, or"
                        + " leave --patience out",
                "--data",
                "x",
                "--patience",
                "2",
                "--held-out",
                "0");
        refuses("--rate and --network-rate must be above 0, got 0.0 and 0.01", "--rate", "0");
        refuses("--resume goes on from a checkpoint in --checkpoints, which is missing: add it", "--resume");
        refuses("kills nothing: add --no-kill", "--resume", "--checkpoints", "x");
        refuses("kills nothing: add --no-kill", "--data", "x", "--resume", "--checkpoints", "x", "--kill");
        refuses("--k must be at least 1", "--resume", "--checkpoints", "x", "--no-kill", "--k", "0");
        refuses("'RMSPROP'", "--optimizer", "RMSPROP");
    }

    private void refuses(String reason, String... options) {
        Object[] arguments = Stream.concat(Stream.of("recommend", "--out", folder), Stream.of(options))
                .toArray();
        Run run = Run.paritas(arguments);
        assertThat(run.status()).isNotZero();
        assertThat(run.err()).contains(reason);
    }

    /** Its executors would start and end again and again. */
    @Test
    void moreMemoryThanTheMachineHasIsRefused() {
        refuses("--heap must be at least 512, got 10", "--heap", "10");
        refuses(
                "MB, must have room for 8 executors with --heap, got 99999999: ask for less,",
                "--heap",
                "99999999",
                "--servers",
                "5",
                "--workers",
                "2");
    }

    @Test
    void nothingIsOverwritten() throws IOException {
        Files.createFile(folder.resolve("coded.csv"));
        Run run = Run.paritas("recommend", "--out", folder);
        assertThat(run.status()).isNotZero();
        assertThat(run.err()).contains("--out must be new or empty, " + folder + " has files: name another directory");
    }
}
