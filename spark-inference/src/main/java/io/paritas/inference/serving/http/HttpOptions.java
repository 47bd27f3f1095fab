/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.paritas.PublicApi;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Options of an {@link HttpServer}.
 *
 * @param host address to listen on
 * @param port 0 for any free one
 * @param token that clients must send as {@code Authorization: Bearer TOKEN}; empty for none, which only loopback allows
 * @param tls certificate and key; empty for no encryption
 * @param bounds of requests and connections
 */
@PublicApi
public record HttpOptions(String host, int port, String token, Optional<Tls> tls, Bounds bounds) {

    /**
     * The identity of a server.
     *
     * @param certificate a PEM file with the server's certificate and its chain
     * @param key a PEM file with its private key, as PKCS #8 without a password
     */
    public record Tls(Path certificate, Path key) {}

    /**
     * Bounds of requests and connections.
     *
     * @param bodyBytes longest body of a request
     * @param replyBytes longest reply to a request for predictions; one that might be longer is refused before it is worked on
     * @param connections most connections at a time; another one takes the place of that which has been without a request for
     *     longest, or is closed at once if all have requests
     * @param receive how long a request may take to arrive completely
     * @param idle how long a connection without a request is kept
     */
    public record Bounds(int bodyBytes, int replyBytes, int connections, Duration receive, Duration idle) {
        /** Bodies of 16 MiB, replies of 64 MiB, 1,000 connections, 10 s for a request, 60 s between requests. */
        public static final Bounds DEFAULT =
                new Bounds(16 << 20, 64 << 20, 1_000, Duration.ofSeconds(10), Duration.ofMinutes(1));

        /** Checks the bounds. */
        public Bounds {
            if (bodyBytes < 1 || replyBytes < 1 || connections < 1) {
                throw new IllegalArgumentException("an HTTP server must take bodies and replies of at least 1 byte and"
                        + " at least 1 connection, got " + bodyBytes + " and " + replyBytes + " bytes, and "
                        + connections + " connections");
            }
            if (receive.toMillis() < 1 || idle.toMillis() < 1) {
                throw new IllegalArgumentException("an HTTP server must wait at least 1 ms for requests, got " + receive
                        + " for one to arrive and " + idle + " between them");
            }
        }
    }

    /** Loopback, any port, no token, no TLS, {@link Bounds#DEFAULT}. */
    public static final HttpOptions DEFAULT = new HttpOptions("127.0.0.1", 0, "", Optional.empty(), Bounds.DEFAULT);

    /** Checks the address, the port, the token, and that an address of the network has one. */
    public HttpOptions {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("the port must be 0 to 65535, got " + port);
        }
        if (!TokenFile.isToken(token)) {
            throw new IllegalArgumentException(
                    "a token must have visible ASCII characters only, without spaces, got another one");
        }
        InetAddress address = address(host);
        if (token.isEmpty() && !address.isLoopbackAddress()) {
            throw new IllegalArgumentException("the address of a server without a token must be loopback, got " + host
                    + ": set a token, or listen on loopback");
        }
    }

    private static InetAddress address(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("the address must be one of this machine, got " + host, e);
        }
    }

    /** These options on another port. */
    public HttpOptions withPort(int number) {
        return new HttpOptions(host, number, token, tls, bounds);
    }

    /** These options with a token. */
    public HttpOptions withToken(String secret) {
        return new HttpOptions(host, port, secret, tls, bounds);
    }

    /** These options with TLS. */
    public HttpOptions withTls(Tls identity) {
        return new HttpOptions(host, port, token, Optional.of(identity), bounds);
    }

    /** These options with other bounds. */
    public HttpOptions withBounds(Bounds wanted) {
        return new HttpOptions(host, port, token, tls, wanted);
    }

    /** These options with another {@link Bounds#bodyBytes}. */
    public HttpOptions withBodyBytes(int bytes) {
        return withBounds(new Bounds(bytes, bounds.replyBytes, bounds.connections, bounds.receive, bounds.idle));
    }

    /** These options with another {@link Bounds#replyBytes}. */
    public HttpOptions withReplyBytes(int bytes) {
        return withBounds(new Bounds(bounds.bodyBytes, bytes, bounds.connections, bounds.receive, bounds.idle));
    }

    /** These options with another {@link Bounds#connections}. */
    public HttpOptions withConnections(int count) {
        return withBounds(new Bounds(bounds.bodyBytes, bounds.replyBytes, count, bounds.receive, bounds.idle));
    }

    /** These options with another {@link Bounds#receive}. */
    public HttpOptions withReceive(Duration time) {
        return withBounds(new Bounds(bounds.bodyBytes, bounds.replyBytes, bounds.connections, time, bounds.idle));
    }

    /** All but the token. */
    @Override
    public String toString() {
        return host + ":" + port + ", " + bounds;
    }
}
