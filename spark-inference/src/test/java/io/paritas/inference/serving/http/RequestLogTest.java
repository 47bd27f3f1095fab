/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Logged;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What requests that fail leave in the log. */
class RequestLogTest extends ServedLinear {
    private static final int REQUESTS = 200;
    private static final String LONG = "x".repeat(1_000);

    RequestLogTest() {
        super(HttpOptions.DEFAULT.withToken("s3cret"));
    }

    /** The lines at INFO of so many requests for a path that is not there. */
    private List<String> lines(String headers) throws Exception {
        try (Logged log = new Logged("io.paritas.inference.serving.requests");
                RawConnection client = new RawConnection(server)) {
            for (int i = 0; i < REQUESTS; i++) {
                client.text("GET /" + LONG + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n")
                        .until("\"}");
            }
            assertThat(log.lines()).hasSize(REQUESTS);
            return log.lines().stream().filter(line -> line.startsWith("INFO ")).toList();
        }
    }

    /** Who has no token could fill the disk. One request takes less than a second. */
    @Test
    void clientsWithoutTheTokenHaveFewShortLines() throws Exception {
        List<String> lines = lines("");

        assertThat(lines)
                .hasSizeBetween(100, REQUESTS - 1)
                .allSatisfy(line -> assertThat(line).hasSizeLessThan(500).contains("\"status\":401"));
        assertThat(lines.get(0)).startsWith("INFO {\"request\":\"GET /" + "x".repeat(195) + "...\",\"ms\":");
    }

    @Test
    void clientsWithTheTokenHaveALineForEachError() throws Exception {
        List<String> lines = lines("Authorization: Bearer s3cret\r\n");

        assertThat(lines).hasSize(REQUESTS).allSatisfy(line -> assertThat(line)
                .hasSizeLessThan(900)
                .contains("\"status\":404", "\"error\":\"there is nothing at /xxx"));
    }
}
