/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.paritas.cli.load.Delays.Delay;
import io.paritas.cli.result.ResultFile;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RateResultTest {
    private static final long MILLI = 1_000_000;
    private static final Delay NONE = new Delay(0, 0);

    /** 990 answers after 1 to 990 ms, and 10 failures. */
    private static RateResult measured() {
        Tally tally = new Tally(0);
        for (int i = 1; i <= 990; i++) {
            tally.sent(i % 10 == 0 ? new Delay(3 * MILLI, 7 * MILLI) : NONE);
            tally.ended(Outcome.answered(i % 10 == 0 ? "reconstructed" : "predicted"), i * MILLI, i * MILLI);
        }
        for (int i = 0; i < 10; i++) {
            tally.sent(NONE);
            tally.ended(
                    i < 4 ? Outcome.unavailable("504", "too\nlate") : Outcome.failed("503", "full"),
                    MILLI,
                    990 * MILLI);
        }
        return tally.measured(1_000);
    }

    @Test
    void failedQueriesAreTheSlowest() {
        RateResult measured = measured();
        assertThat(measured.percentile(50).orElseThrow()).isCloseTo(500, within(1.0));
        assertThat(measured.percentile(99).orElseThrow()).isCloseTo(990, within(1.0));
        assertThat(measured.percentile(99.1)).isEmpty();
        assertThat(measured.percentile(100)).isEmpty();
        assertThat(measured.mean().orElseThrow()).isCloseTo(495.5, within(1.0));
        assertThat(measured.reached()).isCloseTo(1_000, within(0.1));
    }

    /** 0.999 as a double is more than that. */
    @Test
    void aPercentileIsThatOfItsDecimal() {
        Tally tally = new Tally(0);
        for (int i = 1; i <= 1_000; i++) {
            tally.sent(NONE);
            tally.ended(
                    i == 1_000 ? Outcome.failed("503", "full") : Outcome.answered("predicted"), i * MILLI, i * MILLI);
        }
        RateResult measured = tally.measured(1_000);
        assertThat(measured.percentile(99.9).orElseThrow()).isCloseTo(999, within(1.0));
        assertThat(measured.percentile(99.91)).isEmpty();
        assertThat(measured.percentile(0).orElseThrow()).isCloseTo(1, within(0.1));
    }

    @Test
    void everythingIsInTheTable() {
        assertThat(LoadReport.text(measured()).lines())
                .satisfiesExactly(
                        row -> assertThat(row)
                                .containsPattern(" 1000.0 +1000.0 +\\S+ +\\S+ +\\S+ +failed +failed .* 10$"),
                        outcomes -> assertThat(outcomes).endsWith("  predicted 891, reconstructed 99, unavailable 4"),
                        full -> assertThat(full).endsWith("  failed: 6 with 503: full"),
                        late -> assertThat(late).endsWith("  failed: 4 with 504: too late"),
                        note -> assertThat(note).contains("note: the generator fell behind, by 3.0 ms (p99)"),
                        note -> assertThat(note).contains("note: queries waited for a connection, 7.0 ms (p99)"));
    }

    @Test
    void nothingIsSaidOfAGeneratorThatKeptUp() {
        Tally tally = new Tally(0);
        tally.sent(new Delay(MILLI / 10, MILLI / 10));
        tally.ended(Outcome.answered(""), MILLI, MILLI);
        assertThat(LoadReport.text(tally.measured(1)).lines()).hasSize(1);
    }

    @Test
    void thePercentilesAreValuesSeparatedByCommas() {
        List<String> lines = LoadReport.csv(List.of(measured())).lines().toList();
        assertThat(lines).hasSize(119).first().isEqualTo("rate,reached,percentile,latency_ms");
        assertThat(lines.get(50)).matches("1000\\.0,1000\\.00,50\\.0,500\\.\\d{4}");
        assertThat(lines).contains("1000.0,1000.00,99.1,", "1000.0,1000.00,99.99,", "1000.0,1000.00,100.0,");
    }

    @Test
    void aRateWithoutAnswersCanBeDrawnBesideOthers(@TempDir Path folder) throws Exception {
        Tally none = new Tally(0);
        none.ended(Outcome.failed("503", "full"), MILLI, MILLI);
        Path file = folder.resolve("latencies.png");
        LoadPlot.write("latencies", List.of(measured(), none.measured(5), measured()), new ResultFile(file));
        assertThat(ImageIO.read(file.toFile()).getWidth()).isEqualTo(1_200);
        LoadPlot.write("latencies", List.of(none.measured(5)), new ResultFile(file));
        assertThat(ImageIO.read(file.toFile()).getWidth()).isEqualTo(1_200);
    }
}
