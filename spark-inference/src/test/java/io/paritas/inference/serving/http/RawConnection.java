/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.paritas.inference.serving.SocketText;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A connection on which a test writes what it likes. Reads end with an exception after some seconds. */
final class RawConnection implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String STATUS_LINE = "HTTP/1\\.1 \\d{3} ";

    private final Socket socket;

    RawConnection(HttpServer server) throws IOException {
        URI url = URI.create(server.url());
        socket = new Socket(url.getHost(), url.getPort());
        socket.setSoTimeout((int) PATIENCE.toMillis());
    }

    /** Writes lines, each with CR and LF behind it. */
    RawConnection lines(String... lines) throws IOException {
        return text(String.join("\r\n", lines) + "\r\n");
    }

    RawConnection text(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /** All answers until the server ends the connection, each with its head and its body. */
    List<String> answers() throws IOException {
        String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        List<String> answers = new ArrayList<>();
        for (String answer : all.split("(?=" + STATUS_LINE + ")", -1)) {
            answers.add(answer);
        }
        return all.isEmpty() ? List.of() : answers;
    }

    /** The next bytes up to a text, with it. */
    String until(String text) throws IOException {
        return SocketText.until(socket, text);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
