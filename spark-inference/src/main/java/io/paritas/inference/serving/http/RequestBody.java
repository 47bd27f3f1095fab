/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.paritas.inference.GzipStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.InflaterInputStream;

/**
 * The bodies of requests, which may be compressed with gzip or deflate (RFC 9110, 8.4.1). They are inflated when they are there as a
 * whole, so only for clients that have the token, and only up to the length that a body may have.
 */
final class RequestBody {
    private static final String CODINGS = "gzip, deflate, identity";

    private RequestBody() {}

    /**
     * The body of a request, inflated.
     *
     * @throws Problem if it is longer than it may be, or is not what its coding says
     */
    static byte[] of(FullHttpRequest request, int mostBytes) {
        List<String> codings = request.headers().getAll(HttpHeaderNames.CONTENT_ENCODING).stream()
                .flatMap(header -> Stream.of(header.split(",", -1)))
                .map(coding -> coding.strip().toLowerCase(Locale.ROOT))
                .filter(coding -> !coding.isEmpty() && !coding.equals("identity"))
                .toList();
        if (codings.isEmpty()) {
            return ByteBufUtil.getBytes(request.content());
        }
        String coding = String.join(", ", codings);
        try (InputStream in = inflated(request, coding)) {
            byte[] body = in.readNBytes(mostBytes);
            if (in.read() >= 0) {
                throw new Problem(
                        HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
                        "a body must have at most " + mostBytes + " bytes, got more when it was inflated: send fewer"
                                + " rows at once");
            }
            return body;
        } catch (EOFException e) {
            throw Problem.badRequest("the body must be compressed with " + coding
                    + ", as Content-Encoding says, and complete: it ends too soon, after "
                    + request.content().readableBytes() + " bytes");
        } catch (IOException e) {
            throw Problem.badRequest(
                    "the body must be compressed with " + coding + ", as Content-Encoding says: " + e.getMessage());
        }
    }

    private static InputStream inflated(FullHttpRequest request, String coding) throws IOException {
        InputStream body = new ByteBufInputStream(request.content().duplicate());
        return switch (coding) {
            case "gzip", "x-gzip" -> new GzipStream(body);
            case "deflate" -> new InflaterInputStream(body);
            default ->
                throw new Problem(
                        HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE,
                        "bodies must be compressed with one of " + CODINGS + ", got Content-Encoding: " + coding,
                        Map.of(HttpHeaderNames.ACCEPT_ENCODING.toString(), CODINGS));
        };
    }
}
