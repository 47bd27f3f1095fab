/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.util.Version;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Limits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where requests begin and end, in which order they are answered, and when connections end (RFC 9112). */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HttpMessagesTest {
    private static final String INFER = "/v2/models/linear/infer";
    private static final String BODY =
            "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1,2,3]}]}";
    private static final String LIVE = "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final FrontEnd frontEnd = new FrontEnd();
    private final LocalInstances instances = new LocalInstances(frontEnd, thread);
    private HttpServer server;

    private RawConnection connect(HttpOptions options) throws IOException {
        instances.serve("1", Limits.DEFAULT.withDeadline(Duration.ofMinutes(1)), 2);
        server = new HttpServer(frontEnd, options);
        return new RawConnection(server);
    }

    private RawConnection connect() throws IOException {
        return connect(HttpOptions.DEFAULT);
    }

    @AfterEach
    void end() {
        server.close();
        frontEnd.close();
        thread.shutdownNow();
    }

    private static void assertEnds(String answer, int status, String error) {
        assertThat(answer)
                .startsWith("HTTP/1.1 " + status + " ")
                .containsIgnoringCase("\r\nconnection: close\r\n")
                .contains("{\"error\":\"" + error);
    }

    @Test
    void aMalformedRequestIsTheLastOfItsConnection() throws Exception {
        try (RawConnection client = connect()) {
            client.lines("POST " + INFER + " HTTP/1.1", "Host: localhost", "Content-Length: x", "", LIVE);

            assertThat(client.answers())
                    .singleElement()
                    .satisfies(answer -> assertEnds(answer, 400, "requests must be HTTP/1.1: "));
        }
    }

    @Test
    void soIsOneThatExpectsWhatIsNotThere() throws Exception {
        try (RawConnection client = connect()) {
            client.lines(
                    "POST " + INFER + " HTTP/1.1",
                    "Host: localhost",
                    "Expect: cake",
                    "Content-Length: 2",
                    "",
                    "{}" + LIVE);

            assertThat(client.answers())
                    .singleElement()
                    .satisfies(answer -> assertEnds(answer, 417, "Expect must be 100-continue, got 'cake'"));
        }
    }

    @Test
    void whoAsksForItMaySendItsBody() throws Exception {
        try (RawConnection client = connect()) {
            client.lines(
                    "POST " + INFER + " HTTP/1.1",
                    "Host: localhost",
                    "Expect: 100-Continue",
                    "Content-Length: " + BODY.length(),
                    "");
            client.until("HTTP/1.1 100 Continue\r\n\r\n");
            client.text(BODY);

            assertThat(client.until("]}]}")).startsWith("HTTP/1.1 200 OK");
        }
    }

    @Test
    void whoAsksForItGetsTheAnswersToWhatFollowsWithTheirBodies() throws Exception {
        try (RawConnection client = connect()) {
            client.lines(
                    "POST " + INFER + " HTTP/1.1",
                    "Host: localhost",
                    "Expect: 100-continue",
                    "Content-Length: " + BODY.length(),
                    "",
                    BODY + "HEAD /v2 HTTP/1.1",
                    "Host: localhost",
                    "",
                    "GET /v2/health/live HTTP/1.1",
                    "Host: localhost",
                    "Connection: close",
                    "");

            List<String> answers = client.answers();
            assertThat(answers).hasSize(4);
            assertThat(answers.get(0)).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            assertThat(answers.get(1)).startsWith("HTTP/1.1 200 OK").endsWith("]}]}");
            assertThat(answers.get(2)).startsWith("HTTP/1.1 200 OK").endsWith("\r\n\r\n");
            assertThat(answers.get(3)).startsWith("HTTP/1.1 200 OK").endsWith("{\"live\":true}");
        }
    }

    /** The server ends its half of the connection only: a reset would take the answer from a client that still sends. */
    @Test
    void whoIsRefusedMaySendTheRestOfItsBodyBeforeItReadsTheAnswer() throws Exception {
        try (RawConnection client = connect(HttpOptions.DEFAULT.withBodyBytes(100))) {
            client.lines("POST " + INFER + " HTTP/1.1", "Host: localhost", "Content-Length: 40000000", "");
            for (int i = 0; i < 40; i++) {
                client.text(" ".repeat(1_000_000));
            }

            assertThat(client.answers())
                    .singleElement()
                    .satisfies(answer -> assertEnds(answer, 413, "a body must have at most 100 bytes"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 200\r\n\r\n",
                "Expect: 100-continue\r\nContent-Length: 200\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\nc8\r\n"
            })
    void tooLongABodyIsRefusedInItsTurn(String framing) throws Exception {
        try (RawConnection client = connect(HttpOptions.DEFAULT.withBodyBytes(100))) {
            client.text(LIVE + "POST " + INFER + " HTTP/1.1\r\nHost: localhost\r\n" + framing + " ".repeat(200) + "\r\n"
                    + LIVE);

            List<String> answers = client.answers();
            assertThat(answers).hasSize(2);
            assertThat(answers.get(0)).startsWith("HTTP/1.1 200 OK").endsWith("{\"live\":true}");
            assertEnds(answers.get(1), 413, "a body must have at most 100 bytes, got more: send fewer rows at once");
        }
    }

    /** What this server took for the next request, another server before it took for a body. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "xchunked | 501 | Transfer-Encoding must be chunked, got 'xchunked'",
                "identity | 501 | Transfer-Encoding must be chunked, got 'identity'",
                "gzip, chunked | 501 | Transfer-Encoding must be chunked, got 'gzip, chunked'",
                "chunked, chunked | 501 | Transfer-Encoding must be chunked, got 'chunked, chunked'",
                "chunked~Transfer-Encoding: x | 501 | Transfer-Encoding must be chunked, got 'chunked, x'",
            })
    void noRequestHidesInABodyOfAnUnknownCoding(String coding, int status, String error) throws Exception {
        try (RawConnection client = connect()) {
            client.lines(
                    "POST " + INFER + " HTTP/1.1",
                    "Host: localhost",
                    "Transfer-Encoding: " + coding.replace("~", "\r\n"),
                    "",
                    "0",
                    "",
                    LIVE);

            assertThat(client.answers()).singleElement().satisfies(answer -> assertEnds(answer, status, error));
        }
    }

    @Test
    void noBodyHasTwoLengths() throws Exception {
        String netty = Version.identify().get("netty-codec-http").artifactVersion();
        try (RawConnection client = connect()) {
            assumeTrue(
                    !netty.startsWith("4.2.7."), "Spark 4.1 brings Netty 4.2.7, which goes by the chunks, as it may");
            client.lines(
                    "POST " + INFER + " HTTP/1.1",
                    "Host: localhost",
                    "Transfer-Encoding: chunked",
                    "Content-Length: 5",
                    "",
                    "0",
                    "",
                    LIVE);

            assertThat(client.answers())
                    .singleElement()
                    .satisfies(answer -> assertEnds(answer, 400, "requests must be HTTP/1.1: Content-Length"));
        }
    }

    @ParameterizedTest
    @CsvSource({"Accept: *, 0", "Host: here~Host: there, 2"})
    void aRequestHasOneHost(String hosts, int count) throws Exception {
        try (RawConnection client = connect()) {
            client.lines("GET /v2 HTTP/1.1", hosts.replace("~", "\r\n"), "", LIVE);

            assertThat(client.answers())
                    .singleElement()
                    .satisfies(answer -> assertEnds(
                            answer, 400, "requests must have the header Host once, got it " + count + " times"));
        }
    }

    @Test
    void aChunkWithoutASizeIsDamaged() throws Exception {
        try (RawConnection client = connect()) {
            client.lines("POST " + INFER + " HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked", "", "", LIVE);

            assertThat(client.answers())
                    .singleElement()
                    .satisfies(answer ->
                            assertEnds(answer, 400, "requests must be HTTP/1.1: a part of this one cannot be read"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/3.7", "HTTP/2.0", "HTTP/0.9"})
    void otherVersionsAreNotSpoken(String version) throws Exception {
        try (RawConnection client = connect()) {
            client.lines("GET /v2/health/live " + version, "Host: localhost", "", LIVE);

            assertThat(client.answers())
                    .singleElement()
                    .satisfies(answer -> assertEnds(answer, 505, "requests must be HTTP/1.1, got " + version));
        }
    }

    @Test
    void aLaterMinorVersionIsSpoken() throws Exception {
        try (RawConnection client = connect()) {
            client.lines("GET /v2/health/live HTTP/1.2", "Host: localhost", "Connection: close", "");

            assertThat(client.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .startsWith("HTTP/1.1 200 OK"));
        }
    }

    @Test
    void theFormerVersionExpectsNothing() throws Exception {
        try (RawConnection client = connect()) {
            client.lines(
                    "POST " + INFER + " HTTP/1.0",
                    "Expect: 100-continue",
                    "Content-Length: " + BODY.length(),
                    "",
                    BODY);

            assertThat(client.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .startsWith("HTTP/1.1 200 OK"));
        }
    }

    @Test
    void theFormerVersionHasNoCodings() throws Exception {
        try (RawConnection client = connect()) {
            client.lines("POST " + INFER + " HTTP/1.0", "Transfer-Encoding: chunked", "", "0", "", LIVE);

            assertThat(client.answers())
                    .singleElement()
                    .satisfies(answer -> assertEnds(answer, 400, "requests must be HTTP/1.1: The Transfer-Encoding"));
        }
    }

    @Test
    void bodiesMayComeInChunks() throws Exception {
        try (RawConnection client = connect()) {
            client.lines("POST " + INFER + " HTTP/1.1", "Host: localhost", "transfer-encoding: Chunked", "");
            for (char letter : BODY.toCharArray()) {
                client.lines("1", String.valueOf(letter));
            }
            client.lines("0", "");

            assertThat(client.until("]}]}")).startsWith("HTTP/1.1 200 OK");
        }
    }

    @Test
    void clientsOfTheFormerVersionAreToldThatTheirConnectionIsKept() throws Exception {
        try (RawConnection client = connect()) {
            client.lines("GET /v2/health/live HTTP/1.0", "Connection: keep-alive", "");
            assertThat(client.until("{\"live\":true}")).containsIgnoringCase("\r\nconnection: keep-alive\r\n");
            client.lines("GET /v2/health/live HTTP/1.0", "");

            assertThat(client.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .startsWith("HTTP/1.1 200 OK")
                    .doesNotContainIgnoringCase("keep-alive"));
        }
    }

    @Test
    void connectionsAreKeptWithoutAWordOfIt() throws Exception {
        try (RawConnection client = connect()) {
            client.text(LIVE);
            assertThat(client.until("{\"live\":true}")).doesNotContainIgnoringCase("\r\nconnection:");
            client.lines("GET /v2/health/live HTTP/1.1", "Host: localhost", "Connection: close", "");

            assertThat(client.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .containsIgnoringCase("\r\nconnection: close\r\n"));
        }
    }

    @Test
    void theHeadOfAnAnswerIsThatOfTheAnswer() throws Exception {
        try (RawConnection client = connect()) {
            client.lines("HEAD /v2/health/live HTTP/1.1", "Host: localhost", "", LIVE);

            assertThat(client.until("\r\n\r\n"))
                    .startsWith("HTTP/1.1 200 OK")
                    .containsIgnoringCase("\r\ncontent-length: 13\r\n");
            assertThat(client.until("{\"live\":true}")).startsWith("HTTP/1.1 200 OK");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "HEAD, /v2/models/linear/infer, POST",
        "PUT, /v2/models/linear/infer, POST",
        "POST, /v2/health/live, 'GET, HEAD'",
        "OPTIONS, /v2, 'GET, HEAD'"
    })
    void aMethodThatAPathDoesNotTakeIsToldTheOthers(String method, String path, String allowed) throws Exception {
        try (RawConnection client = connect()) {
            client.lines(method + " " + path + " HTTP/1.1", "Host: localhost", "Connection: close", "");

            assertThat(client.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .startsWith("HTTP/1.1 405 ")
                    .containsIgnoringCase("\r\nallow: " + allowed + "\r\n"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer s3cret", "bearer s3cret", "BEARER  s3cret"})
    void theSchemeOfATokenHasNoCase(String authorization) throws Exception {
        try (RawConnection client = connect(HttpOptions.DEFAULT.withToken("s3cret"))) {
            client.lines(
                    "GET /v2 HTTP/1.1", "Host: localhost", "Connection: close", "Authorization: " + authorization, "");

            assertThat(client.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .startsWith("HTTP/1.1 200 OK"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3cret", "Basic s3cret", "Bearers3cret", "Bearer", "Bearer S3cret", ""})
    void whatIsNoTokenIsNone(String authorization) throws Exception {
        try (RawConnection client = connect(HttpOptions.DEFAULT.withToken("s3cret"))) {
            client.lines(
                    "GET /v2 HTTP/1.1", "Host: localhost", "Connection: close", "Authorization: " + authorization, "");

            assertThat(client.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .startsWith("HTTP/1.1 401 ")
                    .containsIgnoringCase("\r\nwww-authenticate: Bearer\r\n"));
        }
    }

    @ParameterizedTest
    @CsvSource({"identity, 200", "Identity, 200", "'gzip, deflate', 415", "br, 415", "'identity, gzip', 400", "'', 200"
    })
    void bodiesAreWhatTheirCodingSays(String encoding, int status) throws Exception {
        try (RawConnection client = connect()) {
            client.lines(
                    "POST " + INFER + " HTTP/1.1",
                    "Host: localhost",
                    "Connection: close",
                    "Content-Encoding: " + encoding,
                    "Content-Length: " + BODY.length(),
                    "",
                    BODY);

            assertThat(client.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .startsWith("HTTP/1.1 " + status + " "));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http://here/v2/health/live, 200",
        "HTTPS://here:8000/v2/health/live?verbose, 200",
        "http://here, 200",
        "http://here?verbose, 200",
        "http://here/v1, 404",
        "ftp://here/v2/health/live, 404",
        "here/v2/health/live, 404"
    })
    void aWholeUriIsAsGoodAsAPath(String uri, int status) throws Exception {
        try (RawConnection client = connect()) {
            client.lines("GET " + uri + " HTTP/1.1", "Host: localhost", "Connection: close", "");

            assertThat(client.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .startsWith("HTTP/1.1 " + status + " "));
        }
    }
}
