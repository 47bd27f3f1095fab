/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.paritas.inference.serving.SocketText;
import io.paritas.inference.serving.grpc.messages.GRPCInferenceServiceGrpc;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A call on a connection of its own, on which a test writes what it likes. Reads end with an exception after some seconds. */
final class RawCall implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int CALL = 1;

    private final Socket socket;
    private final OutputStream out;

    RawCall(GrpcServer server, String method) throws IOException {
        String target = server.target();
        socket = new Socket(
                target.substring(0, target.lastIndexOf(':')),
                Integer.parseInt(target.substring(target.lastIndexOf(':') + 1)));
        socket.setSoTimeout((int) PATIENCE.toMillis());
        out = socket.getOutputStream();
        out.write(begin());
        out.write(frame(1, 4, CALL, head(method)));
    }

    /** What a client of HTTP/2 sends first (RFC 9113, 3.4). */
    static byte[] begin() {
        byte[] preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        byte[] settings = frame(4, 0, 0, new byte[0]);
        return ByteBuffer.allocate(preface.length + settings.length)
                .put(preface)
                .put(settings)
                .array();
    }

    /** A frame of HTTP/2 (RFC 9113, 4.1). */
    static byte[] frame(int type, int flags, int call, byte[] content) {
        return ByteBuffer.allocate(9 + content.length)
                .putInt(content.length << 8 | type)
                .put((byte) flags)
                .putInt(call)
                .put(content)
                .array();
    }

    /** The headers of a call of ours (RFC 7541). */
    static byte[] head(String method) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.write(0x83); // POST
        head.write(0x86); // http
        head.write(4); // the path
        text(head, "/" + GRPCInferenceServiceGrpc.SERVICE_NAME + "/" + method);
        header(head, "content-type", "application/grpc");
        header(head, "te", "trailers");
        return head.toByteArray();
    }

    private static void header(ByteArrayOutputStream head, String name, String value) {
        head.write(0); // not indexed
        text(head, name);
        text(head, value);
    }

    private static void text(ByteArrayOutputStream head, String text) {
        head.write(text.length());
        head.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** A message of gRPC that says that it has this many bytes, and the first of them. */
    static byte[] message(int length, byte[] first) {
        return ByteBuffer.allocate(5 + first.length)
                .put((byte) 0)
                .putInt(length)
                .put(first)
                .array();
    }

    void data(byte[] content) throws IOException {
        out.write(frame(0, 0, CALL, content));
    }

    /** The next bytes up to a text, with it: the server writes headers as they are. */
    String until(String text) throws IOException {
        return SocketText.until(socket, text);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
