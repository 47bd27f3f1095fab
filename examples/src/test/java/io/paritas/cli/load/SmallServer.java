/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server of one model of the protocol, which answers as a test wants it. */
final class SmallServer implements AutoCloseable {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** A query that came. */
    record Received(Headers headers, JsonNode json, int binaryBytes) {}

    /** What is answered to the n-th query, from 0. */
    @FunctionalInterface
    interface Replies {
        Reply to(int query) throws InterruptedException;
    }

    record Reply(int status, String label, String body) {
        static Reply ok(String label) {
            return new Reply(200, label, "{\"outputs\": []}");
        }

        static Reply error(int status, String message) {
            return new Reply(status, "", "{\"error\": \"" + message + "\"}");
        }
    }

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final String metadata;
    private final Replies replies;
    private int queries;

    final List<Received> received = new CopyOnWriteArrayList<>();

    SmallServer(String metadata, Replies replies) throws IOException {
        this.metadata = metadata;
        this.replies = replies;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> reply(exchange, Reply.error(404, "there is no such model")));
        server.createContext("/v2/models/digits", this::model);
        server.setExecutor(threads);
        server.start();
    }

    static String metadata(String datatype) {
        return "{\"name\": \"digits\", \"inputs\": [{\"name\": \"image\", \"datatype\": \"" + datatype
                + "\", \"shape\": [-1, 2, 3]}]}";
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void model(HttpExchange exchange) throws IOException {
        if (exchange.getRequestURI().getPath().equals("/v2/models/digits")) {
            reply(exchange, new Reply(200, "", metadata));
            return;
        }
        byte[] body = exchange.getRequestBody().readAllBytes();
        String given = exchange.getRequestHeaders().getFirst("Inference-Header-Content-Length");
        int length = given == null ? body.length : Integer.parseInt(given);
        Received query =
                new Received(exchange.getRequestHeaders(), MAPPER.readTree(body, 0, length), body.length - length);
        try {
            reply(exchange, replies.to(number(query)));
        } catch (InterruptedException e) {
            exchange.close();
        }
    }

    private synchronized int number(Received query) {
        received.add(query);
        return queries++;
    }

    private static void reply(HttpExchange exchange, Reply reply) throws IOException {
        byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
        if (!reply.label().isEmpty()) {
            exchange.getResponseHeaders().set("Paritas-Outcome", reply.label());
        }
        exchange.sendResponseHeaders(reply.status(), body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
