/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReportTest {
    private final Report report = new Report("Title", new Progress(new PrintStream(PrintStream.nullOutputStream())));

    @Test
    void alignsStepsAndSpeeds() throws Exception {
        Duel.Result result = new Duel.Result(transfer(500, 20), transfer(1000, 350));
        report.duel("read", () -> result);
        report.decoding(result);
        report.row("everything", Duration.ofMillis(61_249));
        assertThat(report.toString().lines().map(line -> line.replaceFirst("^  read( +)\\d\\.\\d", "  read$10.0")))
                .containsSubsequence(
                        "Title",
                        "  step                                seconds   rs_paritas      rs_java",
                        "  read                                    0.0     200 MB/s     100 MB/s",
                        "    of that, in the raw coder                      0.020 s      0.350 s",
                        "  everything                             61.2");
    }

    @Test
    void listsFactsBelow() {
        report.fact("killed", "datanode-1");
        assertThat(report.toString()).endsWith(String.format("%n%n  killed      datanode-1%n"));
    }

    @Test
    void countsMegabytesInPowersOfTen() {
        assertThat(Report.megabytes(128_651_445)).isEqualTo("128.7 MB");
    }

    private static Transfer transfer(long millis, long decodingMillis) {
        return new Transfer(100_000_000, Duration.ofMillis(millis), Duration.ofMillis(decodingMillis), "digest");
    }
}
