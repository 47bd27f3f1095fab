/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;

/** A client that does what it should not, at random, and never listens for long. Not thread-safe. */
final class HostileClient implements AutoCloseable {
    private static final int KEPT = 40;
    private static final String HEAD = "POST /v2/models/linear/infer HTTP/1.1\r\nHost: localhost\r\n";
    private static final List<String> INPUTS = List.of(
            "3e38,3e38,3e38", "1e6,-1e6,1e6", "1e999,0,0", "null,1,2", "[1,2],3", "1,2", "\"a\",\"b\",\"c\"", "0,0,0");

    private final URI server;
    private final Random random;
    /* Connections that hang, the oldest first. */
    private final Deque<Socket> kept = new ArrayDeque<>();
    private int acts;

    HostileClient(String url, long seed) {
        this.server = URI.create(url);
        this.random = new Random(seed);
    }

    /** Does one thing. The server may end the connection at any time. */
    void act() {
        acts++;
        try {
            Socket socket = new Socket(server.getHost(), server.getPort());
            socket.setSoTimeout(200);
            kept.add(socket);
            try {
                socket.getOutputStream().write(message());
                after(socket);
            } catch (IOException e) {
                kept.remove(socket);
                socket.close();
            }
            if (kept.size() > KEPT) {
                kept.remove().close();
            }
        } catch (IOException e) {
            // The server has closed the connection, which is its right.
        }
    }

    int acts() {
        return acts;
    }

    private void after(Socket socket) throws IOException {
        switch (random.nextInt(4)) {
            case 0 -> { // leaves before the answer comes
                kept.remove(socket);
                socket.close();
            }
            case 1 -> { // with a reset
                kept.remove(socket);
                socket.setSoLinger(true, 0);
                socket.close();
            }
            case 2 -> socket.getInputStream().read();
            default -> {} // hangs
        }
    }

    private byte[] message() throws IOException {
        return switch (random.nextInt(18)) {
            case 0 -> garbage(1 + random.nextInt(300));
            case 1 -> text(HEAD.substring(0, 1 + random.nextInt(HEAD.length() - 1)));
            case 2 -> text(HEAD + "Content-Length: 100000\r\n\r\n{\"inputs\":");
            case 3 -> text(HEAD + "Content-Length: 99999999999\r\n\r\n");
            case 4 -> text(HEAD + "Transfer-Encoding: chunked\r\n\r\nffffffffff\r\nx");
            case 5 -> text(HEAD + "Transfer-Encoding: xchunked\r\nContent-Length: 4\r\n\r\nGET /");
            case 6 -> request("[1001,3]", zeros(3_003), "");
            case 7 -> request("[16,3]", INPUTS.get(0) + ",0".repeat(45), "");
            case 8 -> request("[1,3]", "1,2,3", ",\"outputs\":[" + names(5_000) + "]");
            case 9 -> text(many(request("[1,3]", "1,2,3", ""), 50));
            case 10 -> bomb();
            case 11 ->
                text(
                        "POST /v2/repository/models/linear/load HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
            case 12 -> text("GET /" + "a".repeat(random.nextInt(20_000)) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            case 13 -> text(HEAD + "Expect: 417\r\nAuthorization: Bearer x\r\nContent-Length: 2\r\n\r\n{}");
            case 14 -> request("[1,3]", "{},".repeat(1_000_000) + "{}", "");
            case 15 -> request("[1,3]", "1,2,3", ",\"" + "n".repeat(49_000) + "\":[" + "[],".repeat(3_000) + "[]]");
            default -> request("[1,3]", INPUTS.get(random.nextInt(INPUTS.size())), "");
        };
    }

    private byte[] garbage(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static String zeros(int count) {
        return "0,".repeat(count - 1) + "0";
    }

    private static String names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "{\"name\":\"output\"}").collect(Collectors.joining(","));
    }

    private static String many(byte[] request, int times) {
        return new String(request, StandardCharsets.ISO_8859_1).repeat(times);
    }

    private static byte[] request(String shape, String data, String more) {
        String body = "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":" + shape + ",\"data\":[" + data
                + "]}]" + more + "}";
        return text(HEAD + "Content-Length: " + body.length() + "\r\n\r\n" + body);
    }

    /* 64 MiB of zeros in 64 KiB, for a server that takes 16 MiB. */
    private static byte[] bomb() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            for (int i = 0; i < 64; i++) {
                out.write(new byte[1 << 20]);
            }
        }
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.write(text(HEAD + "Content-Encoding: gzip\r\nContent-Length: " + packed.size() + "\r\n\r\n"));
        packed.writeTo(message);
        return message.toByteArray();
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
        kept.forEach(socket -> {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
