/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;

/**
 * The web page of a front end: public files, which poll {@code /v2/paritas/status} every second. They load nothing from other
 * servers, which their content security policy enforces. Immutable.
 */
final class Page {
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final Map<String, File> files = Map.of(
            "/", new File("index.html", "text/html; charset=utf-8"),
            "/page.css", new File("page.css", "text/css; charset=utf-8"),
            "/page.js", new File("page.js", "text/javascript; charset=utf-8"));

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record File(byte[] bytes, String type) {
        File(String name, String type) {
            this(read(name), type);
        }
    }

    private static byte[] read(String name) {
        try (InputStream in = Page.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The paths of the files. */
    Set<String> paths() {
        return files.keySet();
    }

    /** The file at one of {@link #paths}. */
    Answer at(String path) {
        File file = files.get(path);
        return new Answer(
                HttpResponseStatus.OK,
                Map.of(
                        "Content-Type",
                        file.type,
                        "Content-Security-Policy",
                        POLICY,
                        "Referrer-Policy",
                        "no-referrer",
                        "Cache-Control",
                        "no-cache"),
                Unpooled.wrappedBuffer(file.bytes));
    }
}
