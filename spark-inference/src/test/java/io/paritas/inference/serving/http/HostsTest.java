/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of others whose names lead to this machine. */
class HostsTest extends ServedLinear {
    private String ask(String head) throws Exception {
        try (RawConnection client = new RawConnection(server)) {
            client.lines("GET /v2/paritas/status HTTP/1.1", "Connection: close", head, "");
            return client.answers().get(0);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "localhost:8000",
                "LocalHost:8000",
                "digits.localhost:8000",
                "localhost.",
                "digits.localhost.:8000",
                "127.0.0.1",
                "127.0.0.1:8000",
                "127.1.2.3:8000",
                "[::1]",
                "[::1]:8000"
            })
    void aServerWithoutATokenIsAskedByNamesOfLoopback(String host) throws Exception {
        assertThat(ask("Host: " + host)).startsWith("HTTP/1.1 200 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:8000",
                "localhost..",
                "localhost.evil.example",
                "evil-localhost",
                "127.0.0.1.evil.example:8000",
                "203.0.113.5:8000",
                "[2001:db8::1]:8000",
                ""
            })
    void othersAreRefused(String host) throws Exception {
        assertThat(ask("Host: " + host))
                .startsWith("HTTP/1.1 421 ")
                .endsWith(
                        "{\"error\":\"a server without a token must be asked as localhost, 127.0.0.1 or [::1], got the"
                                + " header Host: " + host
                                + ": use such a name, or start the server with a token file\"}");
    }

    @Test
    void itsOwnNameIsOneOfThem() {
        HttpOptions named = new HttpOptions("localhost", 0, "", HttpOptions.DEFAULT.tls(), HttpOptions.Bounds.DEFAULT);
        assertThat(new Hosts(named).contain("Localhost:1")).isTrue();
        assertThat(new Hosts(named).contain("here:1")).isFalse();
    }

    @Test
    void aServerWithATokenHasAnyName() throws Exception {
        listen(HttpOptions.DEFAULT.withToken("s3cret"));

        assertThat(ask("Host: models.example\r\nAuthorization: Bearer s3cret")).startsWith("HTTP/1.1 200 ");
        assertThat(ask("Host: models.example")).startsWith("HTTP/1.1 401 ");
    }
}
