/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.serving.protocol.BodyMemory;
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
