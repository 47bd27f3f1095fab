/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLException;

/** The TLS of a server. Use the JDK's provider: its security settings bound the versions. */
public final class ServerTls {
    private ServerTls() {}

    /**
     * Reads the identity of a server.
     *
     * @param certificate a PEM file with the certificate and its chain
     * @param key a PEM file with its private key, as PKCS #8 without a password
     * @param protocol sets the provider, and what the protocol above it asks for
     * @throws IllegalArgumentException if the files cannot be used
     */
    public static SslContext of(Path certificate, Path key, UnaryOperator<SslContextBuilder> protocol) {
        try {
            return protocol.apply(SslContextBuilder.forServer(certificate.toFile(), key.toFile()))
                    .build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "TLS files must be a certificate and its key as PEM, the key as PKCS #8 without a password, got "
                            + certificate + " and " + key + ": " + e.getMessage(),
                    e);
        }
    }
}
