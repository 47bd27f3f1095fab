/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.serving.FrontEnd;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a certificate that has just been made. */
class TlsTest {
    @TempDir
    private Path folder;

    private static HttpClient trusting(SelfSigned identity) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, identity.trust().getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private static HttpOptions options(SelfSigned identity) {
        return HttpOptions.DEFAULT.withTls(new HttpOptions.Tls(identity.certificate(), identity.key()));
    }

    @Test
    void whoIsRefusedBeforeItsBodyIsReadHearsIt() throws Exception {
        SelfSigned identity = SelfSigned.make(folder);
        try (FrontEnd frontEnd = new FrontEnd();
                HttpServer server = new HttpServer(frontEnd, options(identity).withToken("s3cret"))) {
            HttpRequest load = HttpRequest.newBuilder(URI.create(server.url() + "/v2/repository/models/linear/load"))
                    .timeout(Duration.ofSeconds(30))
                    .POST(BodyPublishers.ofByteArray(new byte[10_000_000]))
                    .build();

            HttpResponse<String> response = trusting(identity).send(load, BodyHandlers.ofString());

            assertThat(response.statusCode()).isEqualTo(401);
            assertThat(response.body()).contains("requests must have the header Authorization");
        }
    }

    @Test
    void clientsThatTrustTheCertificateAreAnsweredAndOthersHearNothing() throws Exception {
        SelfSigned identity = SelfSigned.make(folder);
        HttpOptions options = options(identity);
        try (FrontEnd frontEnd = new FrontEnd();
                HttpServer server = new HttpServer(frontEnd, options)) {
            assertThat(server.url()).startsWith("https://127.0.0.1:");
            HttpRequest live = HttpRequest.newBuilder(URI.create(server.url() + "/v2/health/live"))
                    .build();

            assertThat(trusting(identity).send(live, BodyHandlers.ofString()).body())
                    .isEqualTo("{\"live\":true}");
            assertThatThrownBy(() -> HttpClient.newHttpClient().send(live, BodyHandlers.ofString()))
                    .isInstanceOf(SSLHandshakeException.class);
            HttpRequest plain = HttpRequest.newBuilder(
                            URI.create(server.url().replace("https", "http") + "/v2/health/live"))
                    .build();
            assertThatThrownBy(() -> HttpClient.newHttpClient().send(plain, BodyHandlers.ofString()))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void filesThatAreNoPemAreNamed() throws Exception {
        Path file = Files.writeString(folder.resolve("no.pem"), "nothing");
        HttpOptions options = HttpOptions.DEFAULT.withTls(new HttpOptions.Tls(file, file));
        try (FrontEnd frontEnd = new FrontEnd()) {
            assertThatThrownBy(() -> new HttpServer(frontEnd, options))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(
                            "TLS files must be a certificate and its key as PEM, the key as PKCS #8 without a"
                                    + " password, got " + file + " and " + file + ": ");
        }
    }
}
