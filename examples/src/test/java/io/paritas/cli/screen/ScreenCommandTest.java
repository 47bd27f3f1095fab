/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.screen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.paritas.cli.Run;
import io.paritas.inference.screen.exercise.ProcessorResult;
import io.paritas.inference.screen.exercise.Processors;
import io.paritas.inference.screen.exercise.WrongResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ScreenCommandTest {
    private static final String FINDING =
            "{\"time\":\"2026-11-23T16:02:0%d\",\"application\":\"app-1\",\"executor\":\"%s\","
                    + "\"host\":\"host-%s\",\"suspicion\":\"%s\",\"reason\":\"residual\",\"model\":\"712f72e909bd3b12e5dd\",\"values\":1,\"wrongRows\":2,"
                    + "\"audited\":%d,\"wrong\":%d,\"rows\":[0],\"layers\":[\"Conv a\"],\"bits\":[0,3,0,1],\"agreed\":[\"2\",\"3\"]}";

    @TempDir
    private Path folder;

    @Test
    void screensThisMachine() throws IOException {
        Path json = folder.resolve("screen.json");

        Run run = Run.paritas("screen", "--time", "1", "--json", json.toString());

        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains("Exercising " + Processors.allowed().size() + " processor(s) for 1 s")
                .contains("ok    processor " + Processors.allowed().get(0))
                .contains(" x erasure coding, ", " x matrix product, ", " x checksums and copies")
                .endsWith("No processor was wrong." + System.lineSeparator());
        JsonNode written = new ObjectMapper().readTree(json.toFile());
        assertThat(written.get("processors")).hasSize(Processors.allowed().size());
        assertThat(written.get("processors").get(0).get("wrong").asInt()).isZero();
        assertThat(written.get("machine").asText()).contains("JDK");
    }

    @Test
    void wrongResultsAreShownWithTheirBits() throws IOException {
        ProcessorResult result = new ProcessorResult(
                3,
                true,
                Map.of("matrix product", 9L),
                2,
                List.of(
                        new WrongResult("matrix product", 1, 17, 32, 0x3f800000, 0x3fc00000),
                        new WrongResult("erasure coding", 2, -1, 8, 0, 0)));

        assertThat(ScreenText.of(result))
                .isEqualToIgnoringNewLines("FAIL  processor 3: 2 wrong results"
                        + "      matrix product, input 1, result 17: 3fc00000 instead of 3f800000"
                        + "      erasure coding: the kernel's own check failed");
        assertThat(ScreenText.first(result.first().get(0), 3))
                .isEqualTo("  processor 3 is wrong: matrix product, input 1, result 17: 3fc00000 instead of 3f800000");
        assertThat(new ObjectMapper()
                        .readTree(ScreenJson.of(List.of(result)))
                        .at("/processors/0/first/0/flipped")
                        .asText())
                .isEqualTo("10000000000000000000000");
    }

    @Test
    void refusesWhatItCannotDo() {
        Run time = Run.paritas("screen", "--time", "0");
        assertThat(time.status()).isEqualTo(2);
        assertThat(time.err()).contains("--time must be 1 to 31536000 seconds, a year, got 0");
        Run longer = Run.paritas("screen", "--time", "31536001");
        assertThat(longer.status()).isEqualTo(2);
        assertThat(longer.err()).contains("--time must be 1 to 31536000 seconds, a year, got 31536001");
        Run list = Run.paritas("screen", "--processors", "some");
        assertThat(list.status()).isEqualTo(2);
        assertThat(list.err()).contains("processors must be numbers and ranges such as 0-3,8; got 'some'");
        Run unwritable = Run.paritas("screen", "--json", folder.resolve("none/screen.json"));
        assertThat(unwritable.status()).isEqualTo(2);
        assertThat(unwritable.err()).contains("it must be a file in an existing folder");
        Run absent = Run.paritas("screen", "--processors", "9999");
        assertThat(absent.status()).isEqualTo(2);
        assertThat(absent.err()).contains("must be among those that this program may use", "got [9999]");
    }

    /** By 1 a job at night would take a sound machine out of service. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aResultThatCannotBeWrittenIsNoFault() {
        Run run = Run.paritas("screen", "--time", "1", "--json", "/dev/full");
        assertThat(run.err()).contains("paritas: /dev/full: No space left on device\n");
        assertThat(run.out()).contains("No processor was wrong.");
        assertThat(run.status()).isEqualTo(3);
    }

    @Test
    void sumsUpTheFindingsOfExecutors() throws IOException {
        Path findings = folder.resolve("findings.jsonl");
        Files.write(
                findings,
                List.of(
                        FINDING.formatted(1, "1", "a", "suspect", 10, 1),
                        FINDING.formatted(2, "7", "b", "suspect", 5, 1),
                        FINDING.formatted(3, "1", "a", "faulty", 20, 2)));

        Run run = Run.paritas("screen", "report", findings.toString());

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .contains("FAIL  host-a, executor 1 of app-1: 2 of 20 audited batches wrong, 4 rows")
                .contains("from 2026-11-23T16:02:01 to 2026-11-23T16:02:03, model 712f72e909bd")
                .contains("layers: Conv a")
                .contains("why they were audited: residual (2 x); last rows: [0]")
                .contains("bits that differ (31 is the sign): 1 (6 x), 3 (2 x)")
                .contains("warn  host-b, executor 7 of app-1: 1 of 5 audited batches wrong, 2 rows")
                .contains("2 executor(s) were wrong, 1 of them again and again");
    }

    /** @param key of a field that not all findings have */
    private Run reportOnOneFindingWith(int wrong, String key, String value) throws IOException {
        Path findings = folder.resolve("findings.jsonl");
        String finding = FINDING.formatted(1, "1", "a", "suspect", 10, wrong);
        Files.writeString(findings, finding.substring(0, finding.length() - 1) + ",\"" + key + "\":\"" + value + "\"}");
        return Run.paritas("screen", "report", findings.toString());
    }

    @Test
    void namesTheGpusThatPredicted() throws IOException {
        Run run = reportOnOneFindingWith(1, "gpus", "GPU-8b1f");

        assertThat(run.out()).contains("      GPUs: GPU-8b1f\n");
    }

    @Test
    void saysWhyAnExecutorWasNotEnded() throws IOException {
        Run run = reportOnOneFindingWith(2, "notEnded", "half must stay");

        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains("warn  host-a, executor 1 of app-1")
                .contains("wrong again and again, and not ended: half must stay");
    }

    @Test
    void aLineThatIsTornWithinACharacterIsLeftOut() throws IOException {
        Path findings = folder.resolve("findings.jsonl");
        byte[] torn = {'{', '"', (byte) 0xc3, '\n'};
        Files.write(findings, torn);
        Files.writeString(findings, FINDING.formatted(1, "1", "a", "faulty", 10, 2), StandardOpenOption.APPEND);

        Run run = Run.paritas("screen", "report", findings.toString());

        assertThat(run.out()).contains("FAIL  host-a, executor 1 of app-1");
        assertThat(run.err())
                .contains("1 line(s) of " + findings + " are no findings and are left out, the first is 1");
    }

    @Test
    void saysWhichLineIsNoFinding() throws IOException {
        Path findings = folder.resolve("findings.jsonl");
        Files.writeString(findings, "hello");

        Run run = Run.paritas("screen", "report", findings.toString());

        assertThat(run.status()).isEqualTo(3);
        assertThat(run.err())
                .contains("line 1 of " + findings + " is none: name the file of spark.paritas.screen.report");
    }

    /** As an editor leaves one where a torn line was. */
    @Test
    void aBlankLineHidesNothing() throws IOException {
        Path findings = folder.resolve("findings.jsonl");
        String finding = FINDING.formatted(1, "1", "a", "suspect", 10, 1);
        Files.write(findings, List.of(finding, " ", "", finding));

        Run run = Run.paritas("screen", "report", findings.toString());

        assertThat(run.out()).contains("1 executor(s) were wrong");
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
    }

    /** As a full disk leaves one. */
    @Test
    void aTornLineHidesNoFinding() throws IOException {
        Path findings = folder.resolve("findings.jsonl");
        String finding = FINDING.formatted(1, "1", "a", "suspect", 10, 1);
        Files.write(
                findings,
                List.of(finding, finding.substring(0, 40) + finding, FINDING.formatted(3, "7", "b", "suspect", 20, 2)));

        Run run = Run.paritas("screen", "report", findings.toString());

        assertThat(run.out()).contains("2 executor(s) were wrong");
        assertThat(run.err())
                .contains("1 line(s) of " + findings
                        + " are no findings and are left out, the first is 2: any of them may"
                        + " have been of a faulty executor, look at them and delete them");
        assertThat(run.status()).as("nobody knows whose it was").isEqualTo(3);
    }

    /** As a driver leaves one that is killed while it tells of a faulty executor. */
    @Test
    void aLastLineThatIsTornMayHaveBeenOfAFaultyExecutor() throws IOException {
        Path findings = folder.resolve("findings.jsonl");
        String faulty = FINDING.formatted(2, "1", "a", "faulty", 20, 2);
        String suspect = FINDING.formatted(1, "1", "a", "suspect", 10, 1) + "\n";
        Files.writeString(findings, suspect + faulty.substring(0, faulty.length() - 5));
        assertThat(Run.paritas("screen", "report", findings.toString()).status())
                .isEqualTo(3);
        Files.writeString(findings, suspect + faulty);
        assertThat(Run.paritas("screen", "report", findings.toString()).status())
                .isEqualTo(1);
    }

    @Test
    void saysThatAFileIsAFolder() {
        Run run = Run.paritas("screen", "report", folder.toString());

        assertThat(run.status()).isEqualTo(3);
        assertThat(run.err()).isEqualTo("paritas: " + folder + ": Is a directory\n");
    }

    @Test
    void saysThatAFileIsMissing() {
        Run run = Run.paritas("screen", "report", folder.resolve("absent").toString());

        assertThat(run.status()).isEqualTo(3);
        assertThat(run.err()).contains(folder.resolve("absent").toString());
    }
}
