/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.screen.Difference;
import io.paritas.inference.screen.Ledger;
import io.paritas.inference.screen.Reason;
import io.paritas.inference.screen.Suspicion;
import io.paritas.inference.screen.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FindingsFileTest {
    private static Finding finding(String executor) {
        return new Finding(
                Instant.EPOCH,
                executor,
                "",
                new Ledger.Entry("host", Suspicion.SUSPECT, 9, 1, 9, 1, 5),
                new Verdict("sha options", Reason.CHANCE, Set.of(), Map.of()),
                Difference.NONE,
                List.of(),
                Optional.empty());
    }

    /** As of a driver that has ended where the disk was full. */
    @Test
    void aFindingBeginsALineOfItsOwnAlsoAfterAnApplicationThatHasTornOne(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("findings.jsonl"), "{\"time\":\"1970-01-");
        new FindingsFile(file.toString(), () -> "application").add(finding("1"));
        new FindingsFile(file.toString(), () -> "application").add(finding("2"));
        assertThat(file)
                .content()
                .matches("\\{\"time\":\"1970-01-\n\\{.*\"executor\":\"1\".*}\n\\{.*\"executor\":\"2\".*}\n");
    }

    /** As where the folder is made later. */
    @Test
    void afterAFindingOfWhichNothingIsWrittenThereIsNoEmptyLine(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("missing").resolve("findings.jsonl");
        FindingsFile findings = new FindingsFile(file.toString(), () -> "application");
        findings.add(finding("1"));
        Files.createDirectory(folder.resolve("missing"));
        findings.add(finding("2"));
        assertThat(file).content().matches("\\{.*\"executor\":\"2\".*}\n");
    }

    /** As on a disk that is full for a while. */
    @Test
    void aFindingBeginsALineOfItsOwnAlsoAfterOneThatIsTorn(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("missing").resolve("findings.jsonl");
        FindingsFile findings = new FindingsFile(file.toString(), () -> "application");
        findings.add(finding("1"));
        Files.createDirectory(folder.resolve("missing"));
        Files.writeString(file, "{\"time\":\"1970-01-");
        findings.add(finding("2"));
        findings.add(finding("3"));
        assertThat(file)
                .content()
                .matches("\\{\"time\":\"1970-01-\n\\{.*\"executor\":\"2\".*}\n\\{.*\"executor\":\"3\".*}\n");
    }

    /** A NUL, as ü where the locale is C: at a finding, it would be too late to say so. */
    @Test
    void aPathThatCannotBeIsRefusedAtTheStart() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FindingsFile("find\0ings.jsonl", () -> "application"))
                .withMessage(
                        "spark.paritas.screen.report must be a path that this machine's locale can spell, as C.UTF-8"
                                + " can, got 'find\0ings.jsonl'");
    }
}
