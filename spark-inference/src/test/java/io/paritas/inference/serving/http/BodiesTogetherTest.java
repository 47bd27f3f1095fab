/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.paritas.inference.serving.protocol.BodyMemory;
import io.paritas.inference.serving.protocol.Connections;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of many requests at once, of which each alone may come. */
class BodiesTogetherTest extends ServedLinear {
    private static final String BODY =
            "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1,2,3]}]}";
    private static final int MOST = 1_000;

    private final BodyMemory memory = new BodyMemory(MOST);
    private final BodyMemory.Part others = memory.part();

    @BeforeEach
    void bound() {
        server.close();
        server = new HttpServer(frontEnd, HttpOptions.DEFAULT, Optional.empty(), memory);
    }

    private static RawConnection head(RawConnection client, String header) throws IOException {
        return client.lines("POST /v2/models/linear/infer HTTP/1.1", "Host: localhost", header, "");
    }

    private static String chunk(String text) {
        return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
    }

    private static void assertRefused(RawConnection client) throws IOException {
        assertThat(client.answers()).singleElement().satisfies(answer -> assertThat(answer)
                .startsWith("HTTP/1.1 503 ")
                .containsIgnoringCase("\r\nretry-after: 1\r\n")
                .endsWith("{\"error\":\"the bodies of all requests that are on their way must have at most 1000 bytes"
                        + " together, this one would make them more: ask again later\"}"));
    }

    @Test
    void aBodyWithoutRoomIsRefusedBeforeItIsRead() throws Exception {
        assertThat(others.take(MOST - BODY.length() + 1)).isTrue();

        try (RawConnection client = new RawConnection(server)) {
            assertRefused(head(client, "Content-Length: " + BODY.length()));
        }
    }

    @Test
    void aBodyInChunksIsRefusedWhenTheyAreTooMany() throws Exception {
        assertThat(others.take(MOST - 20)).isTrue();

        try (RawConnection client = new RawConnection(server)) {
            assertRefused(head(client, "Transfer-Encoding: chunked")
                    .text(chunk(BODY.substring(0, 15)))
                    .text(chunk(BODY.substring(15, 30))));
        }
    }

    @Test
    void aRequestWithoutABodyNeedsNoRoom() throws Exception {
        assertThat(others.take(MOST + 500)).isTrue();

        try (RawConnection client = new RawConnection(server)) {
            client.lines("GET /v2/health/live HTTP/1.1", "Host: localhost", "Connection: close", "");
            assertThat(client.answers()).singleElement().asString().startsWith("HTTP/1.1 200 ");
        }
    }

    /** While its connection stays, which may wait long for the client. */
    @Test
    void whatARefusedBodyHasTakenIsGivenBackAtOnce() throws Exception {
        assertThat(others.take(100)).isTrue();

        try (RawConnection client = new RawConnection(server)) {
            assertRefused(head(client, "Transfer-Encoding: chunked")
                    .text(chunk("x".repeat(800)))
                    .text(chunk("x".repeat(800))));
            assertThat(others.take(MOST - 100)).isTrue();
        }
    }

    @Test
    void whatABodyThatIsTooLongHasTakenIsGivenBackAtOnce() throws Exception {
        server.close();
        server = new HttpServer(frontEnd, HttpOptions.DEFAULT.withBodyBytes(500), Optional.empty(), memory);

        try (RawConnection client = new RawConnection(server)) {
            head(client, "Transfer-Encoding: chunked")
                    .text(chunk("x".repeat(400)))
                    .text(chunk("x".repeat(400)));
            assertThat(client.answers()).singleElement().asString().startsWith("HTTP/1.1 413 ");
            assertThat(others.take(MOST)).isTrue();
        }
    }

    /** One of one byte with a long extension (RFC 9112, 7.1.1) would keep all that came with it. */
    @Test
    void aChunkKeepsNoMoreMemoryThanItHasBytes() {
        var routes = new Routes(frontEnd, HttpOptions.DEFAULT, Optional.empty());
        var channel = new EmbeddedChannel(new Requests(MOST, routes, new Connections(1), memory));
        var head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/v2/models/linear/infer");
        head.headers()
                .set(HttpHeaderNames.HOST, "localhost")
                .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        ByteBuf received = Unpooled.buffer(4_096).writeZero(4_096);

        channel.writeInbound(head, new DefaultHttpContent(received.readSlice(1)));
        assertThat(received.refCnt()).isZero();

        channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
        FullHttpRequest request = channel.readInbound();
        assertThat(request.content().readableBytes()).isOne();
        request.release();
        channel.finishAndReleaseAll();
    }

    /** The longest that there is room for, again and again. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasTakenIsGivenBackWithEachRequest(boolean chunked) throws Exception {
        assertThat(others.take(MOST - BODY.length())).isTrue();

        try (RawConnection client = new RawConnection(server)) {
            for (int i = 0; i < 20; i++) {
                if (chunked) {
                    head(client, "Transfer-Encoding: chunked")
                            .text(chunk(BODY.substring(0, 15)) + chunk(BODY.substring(15)) + chunk(""));
                } else {
                    head(client, "Content-Length: " + BODY.length()).text(BODY);
                }
                assertThat(client.until("\"data\":")).contains("HTTP/1.1 200 ");
                client.until("}]}");
            }
        }
        assertThat(others.take(BODY.length())).isTrue();
    }

    @Test
    void whatWasTakenIsGivenBackWhenTheConnectionEnds() throws Exception {
        assertThat(others.take(1)).isTrue();

        try (RawConnection client = new RawConnection(server)) {
            head(client, "Content-Length: 900").text("{");
            while (others.take(500)) { // until the head is read
                others.giveBack(500);
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
        while (!others.take(500)) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }
}
