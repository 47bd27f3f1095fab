/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.serving.FrontEnd;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a certificate that the JDK's keytool has just made. */
class TlsTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    private Path folder;

    private KeyStore store() throws Exception {
        Path file = folder.resolve("store.p12");
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Process made = new ProcessBuilder(
                        keytool.toString(),
                        "-genkeypair",
                        "-keystore",
                        file.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=paritas",
                        "-ext",
                        "san=ip:127.0.0.1")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        assertThat(made.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(made.exitValue())
                .as(Files.readString(folder.resolve("keytool.log")))
                .isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    private Path pem(String name, String what, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(
                folder.resolve(name), "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }

    private static HttpClient trusting(KeyStore store) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", store.getCertificate("server"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private HttpOptions options(KeyStore store) throws Exception {
        Path certificate =
                pem("server.pem", "CERTIFICATE", store.getCertificate("server").getEncoded());
        Path key = pem(
                "server.key",
                "PRIVATE KEY",
                store.getKey("server", PASSWORD.toCharArray()).getEncoded());
        return HttpOptions.DEFAULT.withTls(new HttpOptions.Tls(certificate, key));
    }

    @Test
    void whoIsRefusedBeforeItsBodyIsReadHearsIt() throws Exception {
        KeyStore store = store();
        try (FrontEnd frontEnd = new FrontEnd();
                HttpServer server = new HttpServer(frontEnd, options(store).withToken("s3cret"))) {
            HttpRequest load = HttpRequest.newBuilder(URI.create(server.url() + "/v2/repository/models/linear/load"))
                    .timeout(Duration.ofSeconds(30))
                    .POST(BodyPublishers.ofByteArray(new byte[10_000_000]))
                    .build();

            HttpResponse<String> response = trusting(store).send(load, BodyHandlers.ofString());

            assertThat(response.statusCode()).isEqualTo(401);
            assertThat(response.body()).contains("requests must have the header Authorization");
        }
    }

    @Test
    void clientsThatTrustTheCertificateAreAnsweredAndOthersHearNothing() throws Exception {
        KeyStore store = store();
        HttpOptions options = options(store);
        try (FrontEnd frontEnd = new FrontEnd();
                HttpServer server = new HttpServer(frontEnd, options)) {
            assertThat(server.url()).startsWith("https://127.0.0.1:");
            HttpRequest live = HttpRequest.newBuilder(URI.create(server.url() + "/v2/health/live"))
                    .build();

            assertThat(trusting(store).send(live, BodyHandlers.ofString()).body())
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
