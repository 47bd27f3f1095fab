/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.TrustManagerFactory;

/**
 * The identity of a server at 127.0.0.1, made by the JDK's keytool.
 *
 * @param store with the certificate and the key
 * @param certificate a PEM file
 * @param key a PEM file
 */
public record SelfSigned(KeyStore store, Path certificate, Path key) {
    private static final String PASSWORD = "changeit";
    private static final String ALIAS = "server";

    /** Makes one, with files in a folder. */
    public static SelfSigned make(Path folder) throws Exception {
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
                        ALIAS,
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
        byte[] certificate = store.getCertificate(ALIAS).getEncoded();
        byte[] key = store.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
        return new SelfSigned(
                store,
                pem(folder.resolve("server.pem"), "CERTIFICATE", certificate),
                pem(folder.resolve("server.key"), "PRIVATE KEY", key));
    }

    private static Path pem(Path file, String what, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(file, "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }

    /** Trust in this certificate, and no other. */
    public TrustManagerFactory trust() throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry(ALIAS, store.getCertificate(ALIAS));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        return trust;
    }
}
