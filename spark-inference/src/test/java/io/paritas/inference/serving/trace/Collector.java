/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.trace;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Takes spans over HTTP, as a collector of OpenTelemetry does. */
public final class Collector implements AutoCloseable {
    private final HttpServer server;
    private final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();

    public Collector() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/traces", exchange -> {
            bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }

    /** What traces are sent to. */
    public String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Waits until spans with this text have come, and returns their bytes as characters. */
    public String await(String text) throws InterruptedException {
        for (String body = bodies.poll(1, TimeUnit.MINUTES); body != null; body = bodies.poll(1, TimeUnit.MINUTES)) {
            if (body.contains(text)) {
                return body;
            }
        }
        throw new AssertionError("no span with '" + text + "' within a minute");
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
