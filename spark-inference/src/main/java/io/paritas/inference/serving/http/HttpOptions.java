/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Where and how the HTTP server listens.
 *
 * @param host its address; loopback unless somebody wants it otherwise
 * @param port 0 for any that is free
 * @param token that clients must send as {@code Authorization: Bearer TOKEN}; empty for none, which only loopback allows
 * @param tls what clients are shown; empty for no encryption
 * @param bodyBytes of a request at most
 * @param connections at a time; more are closed at once
 * @param receive how long a request may take to come in completely
 * @param idle how long a connection without a request is kept
 */
public record HttpOptions(
        String host,
        int port,
        String token,
        Optional<Tls> tls,
        int bodyBytes,
        int connections,
        Duration receive,
        Duration idle) {

    /**
     * What clients are shown.
     *
     * @param certificate a file with the server's certificate and those above it, as PEM
     * @param key a file with its private key, as PKCS #8 in PEM, without a password
     */
    public record Tls(Path certificate, Path key) {}

    /** This machine only, any port, 16 MiB, 1,000 connections, 10 s for a request, 60 s between requests. */
    public static final HttpOptions DEFAULT = new HttpOptions(
            "127.0.0.1", 0, "", Optional.empty(), 16 << 20, 1_000, Duration.ofSeconds(10), Duration.ofMinutes(1));

    /** Checks that nobody serves the network without a token by accident. */
    public HttpOptions {
        if (port < 0 || port > 65_535 || bodyBytes < 1 || connections < 1) {
            throw new IllegalArgumentException(
                    "an HTTP server needs a port from 0 to 65535, at least 1 byte of body and"
                            + " at least 1 connection, got port " + port + ", " + bodyBytes + " bytes and "
                            + connections
                            + " connections");
        }
        if (receive.toMillis() < 1 || idle.toMillis() < 1) {
            throw new IllegalArgumentException("an HTTP server must wait for requests for at least a millisecond, got "
                    + receive + " for one to come in and " + idle + " between them");
        }
        if (token.isEmpty() && !isLoopback(host)) {
            throw new IllegalArgumentException(
                    "without a token the HTTP server listens on loopback addresses only, got " + host
                            + ": set a token, or leave the address");
        }
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an HTTP server needs an address of this machine, got " + host, e);
        }
    }

    public HttpOptions withToken(String secret) {
        return new HttpOptions(host, port, secret, tls, bodyBytes, connections, receive, idle);
    }

    public HttpOptions withTls(Tls shown) {
        return new HttpOptions(host, port, token, Optional.of(shown), bodyBytes, connections, receive, idle);
    }

    public HttpOptions withBodyBytes(int bytes) {
        return new HttpOptions(host, port, token, tls, bytes, connections, receive, idle);
    }

    public HttpOptions withConnections(int count) {
        return new HttpOptions(host, port, token, tls, bodyBytes, count, receive, idle);
    }

    public HttpOptions withReceive(Duration time) {
        return new HttpOptions(host, port, token, tls, bodyBytes, connections, time, idle);
    }

    /** All but the token. */
    @Override
    public String toString() {
        return host + ":" + port + ", " + bodyBytes + " bytes, " + connections + " connections";
    }
}
