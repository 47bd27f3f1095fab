/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Run;
import io.paritas.cli.load.SmallServer.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadCommandTest {
    private static final String FP32 = SmallServer.metadata("FP32");

    @TempDir
    private Path folder;

    private static Run load(SmallServer server, Object... options) {
        List<Object> arguments = new ArrayList<>(List.of("load", server.url() + "/v2/models/digits"));
        arguments.addAll(List.of(options));
        return Run.paritas(arguments.toArray());
    }

    @Test
    void everyReplyIsCountedByItsStatusAndOutcome() throws IOException {
        // The first query is the one that is sent alone, to see whether it is taken.
        SmallServer.Replies replies = query -> query == 0 || query % 10 > 2
                ? Reply.ok("predicted")
                : switch (query % 10) {
                    case 0 -> Reply.ok("reconstructed");
                    case 1 -> Reply.error(503, "too many queries wait");
                    default -> Reply.error(504, "1 of 1 rows are unavailable: late");
                };
        try (SmallServer server = new SmallServer(FP32, replies)) {
            Run run = load(server, "--rate", 1000, "--queries", 100, "--warm-up", 0);
            assertThat(run.status()).isZero();
            assertThat(server.received).hasSize(101);
            assertThat(run.out())
                    .contains(
                            "[image FP32 [1, 2, 3]] as BINARY: 100 queries and 0 before them",
                            "predicted 70, reconstructed 10, unavailable 10",
                            "failed: 10 with 503: too many queries wait",
                            "failed: 10 with 504: 1 of 1 rows are unavailable: late")
                    .containsPattern(" 1000\\.0 +\\S+ +\\S+ +failed +failed +failed +failed +\\S+ +20\\R");
        }
    }

    @Test
    void aServerThatStallsIsSentAllQueriesWhichThenHaveWaited() throws IOException {
        CountDownLatch all = new CountDownLatch(40);
        SmallServer.Replies replies = query -> {
            if (query > 0) {
                all.countDown();
                all.await();
            }
            return Reply.ok("predicted");
        };
        Path csv = folder.resolve("latencies.csv");
        try (SmallServer server = new SmallServer(FP32, replies)) {
            Run run = load(server, "--rate", 200, "--queries", 40, "--warm-up", 0, "--csv", csv);
            assertThat(run.status()).isZero();
            long[] times = Arrivals.times(200, 40, 1);
            double longest = (times[39] - times[0]) / 1e6;
            double median = (times[39] - times[20]) / 1e6;
            assertThat(latency(csv, "100.0")).isGreaterThanOrEqualTo(longest * 0.998);
            assertThat(latency(csv, "50.0")).isGreaterThanOrEqualTo(median * 0.998);
        }
    }

    private static double latency(Path csv, String percentile) throws IOException {
        return Files.readAllLines(csv).stream()
                .map(line -> line.split(",", -1))
                .filter(cells -> cells[2].equals(percentile))
                .mapToDouble(cells -> Double.parseDouble(cells[3]))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void queriesAreWhatTheOptionsSay() throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "secret\n");
        try (SmallServer server = new SmallServer(FP32, query -> Reply.ok("predicted"))) {
            Object[] options = {"--queries", 5, "--warm-up", 0, "--rate", 1000};
            assertThat(load(server, options).status()).isZero();
            SmallServer.Received first = server.received.get(0);
            assertThat(first.json())
                    .hasToString(
                            "{\"inputs\":[{\"name\":\"image\",\"datatype\":\"FP32\",\"shape\":[1,2,3],"
                                    + "\"parameters\":{\"binary_data_size\":24}}],\"parameters\":{\"binary_data_output\":true}}");
            assertThat(first.binaryBytes()).isEqualTo(24);
            assertThat(first.headers()).doesNotContainKeys("Paritas-tenant", "Authorization");

            server.received.clear();
            List<Object> more = new ArrayList<>(List.of(options));
            more.addAll(List.of("--no-binary", "--deadline", 20, "--tenant", "ours", "--token-file", token));
            assertThat(load(server, more.toArray()).status()).isZero();
            SmallServer.Received plain = server.received.get(0);
            assertThat(plain.json().at("/parameters/timeout").asInt()).isEqualTo(20_000);
            assertThat(plain.json().at("/inputs/0/data")).hasSize(6).allMatch(value -> value.isNumber());
            assertThat(plain.headers().getFirst("Paritas-Tenant")).isEqualTo("ours");
            assertThat(plain.headers().getFirst("Authorization")).isEqualTo("Bearer secret");
        }
    }

    /** As base64 writes it, for example: no header can have it, and nobody may see it. */
    @Test
    void aTokenOfTwoLinesIsRefusedAndNotShown() throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "first\nsecond\n");
        try (SmallServer server = new SmallServer(FP32, query -> Reply.ok("predicted"))) {
            Run run = load(server, "--token-file", token);
            assertFails(
                    run,
                    "paritas: a token must be one line of ASCII characters without spaces, which it is not in " + token
                            + ": write one into it, as by (umask 077; openssl rand -hex 32 > '" + token + "')");
            assertThat(run.out() + run.err()).doesNotContain("first", "second");
        }
    }

    @Test
    void severalRatesAreMeasuredAndDrawn() throws IOException {
        Path plot = folder.resolve("latencies.png");
        try (SmallServer server = new SmallServer(SmallServer.metadata("INT64"), query -> Reply.ok(""))) {
            Run run = load(server, "--rate", "500,1000", "--queries", 50, "--warm-up", 5, "--plot", plot);
            assertThat(run.status()).isZero();
            assertThat(server.received).hasSize(1 + 2 * 55);
            assertThat(run.out()).contains("     500.0 ", "    1000.0 ", "plot: " + plot);
            assertThat(plot).isNotEmptyFile();
        }
    }

    @Test
    void nothingButFailuresIsAFailure() throws IOException {
        SmallServer.Replies replies = query -> Reply.error(503, "on its way out");
        try (SmallServer server = new SmallServer(FP32, replies)) {
            Run run = load(server, "--rate", 1000, "--queries", 10, "--warm-up", 0);
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.out()).contains("failed: 10 with 503: on its way out");
        }
    }

    @Test
    void aQueryWithoutAReplyIsGivenUp() throws IOException {
        CountDownLatch never = new CountDownLatch(1);
        SmallServer.Replies replies = query -> {
            if (query == 3) {
                never.await();
            }
            return Reply.ok("predicted");
        };
        try (SmallServer server = new SmallServer(FP32, replies)) {
            Run run = load(server, "--rate", 1000, "--queries", 10, "--warm-up", 0, "--timeout", 4);
            assertThat(run.status()).isZero();
            assertThat(run.out()).contains("predicted 9", "failed: 1 with no reply");
        }
    }

    @Test
    void whatCannotBeAskedIsSaidInOneLine() throws IOException {
        try (SmallServer server = new SmallServer(FP32, query -> Reply.error(401, "requests must have a token"))) {
            assertFails(
                    Run.paritas("load", server.url(), "--model", "letters"),
                    "paritas: the server does not take queries for the model 'letters' at " + server.url()
                            + "/v2/models/letters, status 404: there is no such model; name another one with --model");
            assertFails(load(server), "status 401: requests must have a token; name its token with --token-file");
        }
        try (SmallServer server = new SmallServer(SmallServer.metadata("BYTES"), query -> Reply.ok(""))) {
            assertFails(
                    load(server), "the input 'image' of the model 'digits' has the datatype BYTES, and queries can be");
        }
        try (SmallServer server = new SmallServer("<html>", query -> Reply.ok(""))) {
            assertFails(load(server), "is no server of the Open Inference Protocol: name another URL");
        }
        try (Socket deaf = new Socket()) { // has a port, and does not listen
            deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            String url = "http://127.0.0.1:" + deaf.getLocalPort();
            assertFails(
                    Run.paritas("load", url), "paritas: no server listens at " + url + "/v2/models/model: start one");
        }
    }

    @Test
    void optionsAreChecked() {
        String url = "http://127.0.0.1:1/v2/models/digits";
        assertRefused(Run.paritas("load", url, "--rate", "0"), "--rate must be above 0 and at most 1000000, got [0.0]");
        assertRefused(
                Run.paritas("load", url, "--rate", "NaN"),
                "--rate must be above 0 and at most 1000000, got" + " [NaN]");
        assertRefused(Run.paritas("load", url, "--queries", "0"), "--queries must be at least 1, got 0");
        assertRefused(Run.paritas("load", url, "--warm-up", "-1"), "--warm-up must be at least 0, got -1");
        assertRefused(Run.paritas("load", url, "--deadline", "3600001"), "--deadline must be at most an hour");
        assertRefused(Run.paritas("load", url, "--timeout", "0"), "--timeout must be at least 1, got 0");
        assertRefused(Run.paritas("load", url, "--connections", "0"), "--connections must be at least 1, got 0");
        assertRefused(
                Run.paritas("load", url, "--csv", folder.resolve("none/a.csv")),
                "Invalid value for option '--csv': it must be a file in an existing folder, got ");
        assertRefused(Run.paritas("load", url, "--plot", folder.resolve("a.jpg")), "--plot must be a .png file");
        assertRefused(
                Run.paritas("load", url, "--model", "letters"), "URL names the model 'digits' and --model 'letters'");
        assertRefused(
                Run.paritas("load", "127.0.0.1:8000"), "URL must be that of a server, such as http://127.0.0.1:8000");
    }

    private static void assertRefused(Run run, String message) {
        assertThat(run.err()).contains(message);
        assertThat(run.status()).isEqualTo(2);
    }

    private static void assertFails(Run run, String message) {
        assertThat(run.err()).contains(message).hasLineCount(1);
        assertThat(run.status()).isEqualTo(1);
    }
}
