/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that are compressed, of requests and of replies. */
class CompressionTest extends ServedLinear {
    private static final int MOST_BYTES = 100_000;
    private static final int ROWS = 200;

    private final HttpClient client = HttpClient.newHttpClient();

    CompressionTest() {
        super(HttpOptions.DEFAULT.withBodyBytes(MOST_BYTES));
    }

    private static String body() {
        return "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[" + ROWS + ",3],\"data\":["
                + "1,2,3,".repeat(ROWS - 1) + "1,2,3]}]}";
    }

    private static byte[] compressed(String coding, byte[] bytes) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (OutputStream out = coding.equals("gzip") ? new GZIPOutputStream(all) : new DeflaterOutputStream(all)) {
            out.write(bytes);
        }
        return all.toByteArray();
    }

    private static byte[] inflated(String coding, byte[] bytes) throws IOException {
        InputStream raw = new ByteArrayInputStream(bytes);
        try (InputStream in = coding.equals("gzip") ? new GZIPInputStream(raw) : new InflaterInputStream(raw)) {
            return in.readAllBytes();
        }
    }

    private HttpRequest.Builder infer(byte[] body) {
        return HttpRequest.newBuilder(URI.create(server.url() + "/v2/models/linear/infer"))
                .POST(BodyPublishers.ofByteArray(body));
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), BodyHandlers.ofByteArray());
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate"})
    void bothAreInflatedAndCompressedIfTheClientAsks(String coding) throws Exception {
        byte[] plain = body().getBytes(StandardCharsets.UTF_8);
        String expected = outputs(send(infer(plain)).body());

        HttpResponse<byte[]> response = send(infer(compressed(coding, plain))
                .header("Content-Encoding", coding)
                .header("Accept-Encoding", coding));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Encoding")).contains(coding);
        assertThat(response.body()).hasSizeLessThan(expected.length() / 2);
        assertThat(outputs(inflated(coding, response.body()))).isEqualTo(expected);
    }

    /** Without how the reply came to be: on a busy machine one of two may be reconstructed. */
    private static String outputs(byte[] reply) {
        String text = new String(reply, StandardCharsets.UTF_8);
        return text.substring(text.indexOf("\"outputs\""));
    }

    @Test
    void nobodyGetsACompressedReplyWithoutAsking() throws Exception {
        HttpResponse<byte[]> response = send(infer(body().getBytes(StandardCharsets.UTF_8)));

        assertThat(response.headers().firstValue("Content-Encoding")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate"})
    void whatABodyIsInflatedToIsBounded(String coding) throws Exception {
        byte[] bomb = compressed(coding, new byte[50 * MOST_BYTES]);
        assertThat(bomb).hasSizeLessThan(MOST_BYTES);

        HttpResponse<byte[]> response = send(infer(bomb).header("Content-Encoding", coding));

        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(new String(response.body(), StandardCharsets.UTF_8))
                .isEqualTo("{\"error\":\"a body must have at most 100000 bytes, got more when it was inflated: send"
                        + " fewer rows at once\"}");
    }

    @ParameterizedTest
    @CsvSource({"gzip, 0", "gzip, 1", "gzip, 40", "deflate, 0", "deflate, 40"})
    void aBodyThatEndsTooSoonIsRefused(String coding, int length) throws Exception {
        byte[] whole = compressed(coding, body().getBytes(StandardCharsets.UTF_8));
        assertThat(whole).hasSizeGreaterThan(length);

        HttpResponse<byte[]> response = send(infer(Arrays.copyOf(whole, length)).header("Content-Encoding", coding));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(new String(response.body(), StandardCharsets.UTF_8))
                .isEqualTo("{\"error\":\"the body must be compressed with " + coding
                        + ", as Content-Encoding says, and complete: it ends too soon, after " + length + " bytes\"}");
    }

    /** The JDK's stream calls itself for each of them, and overflows the stack. */
    @Test
    void aBodyOfManyEmptyMembersIsEmpty() throws Exception {
        listen(HttpOptions.DEFAULT);
        byte[] member = compressed("gzip", new byte[0]);
        ByteArrayOutputStream members = new ByteArrayOutputStream();
        for (int i = 0; i < 20_000; i++) {
            members.write(member);
        }

        HttpResponse<byte[]> response = send(infer(members.toByteArray()).header("Content-Encoding", "gzip"));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(new String(response.body(), StandardCharsets.UTF_8))
                .isEqualTo("{\"error\":\"the body must be a JSON object, got nothing\"}");
    }
}
