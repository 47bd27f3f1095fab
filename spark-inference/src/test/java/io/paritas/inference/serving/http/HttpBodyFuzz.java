/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.ServedModel;
import java.util.Arrays;
import java.util.List;

/**
 * The body of an inference request. The first byte chooses its coding: 0 none, 1 gzip, 2 deflate; the second is the number of bytes
 * behind the JSON.
 */
public final class HttpBodyFuzz {
    private static final List<String> CODINGS = List.of("identity", "gzip", "deflate");
    private static final int HEADER = 2;
    private static final ServedModel MODEL = new ServedModel(
            "m",
            "1",
            new TensorSpec("x", List.of(2, 2)),
            new TensorSpec("y", List.of(3)),
            new Policy.Uncoded(),
            Limits.DEFAULT);

    private HttpBodyFuzz() {}

    public static void fuzzerTestOneInput(byte[] bytes) {
        if (bytes.length < HEADER) {
            return;
        }
        FullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1,
                HttpMethod.POST,
                "/",
                Unpooled.wrappedBuffer(Arrays.copyOfRange(bytes, HEADER, bytes.length)));
        request.headers().set(HttpHeaderNames.CONTENT_ENCODING, CODINGS.get((bytes[0] & 0xFF) % CODINGS.size()));
        try {
            byte[] body = RequestBody.of(request, 1 << 20);
            InferRequest.read(MODEL, body, body.length - (bytes[1] & 0xFF));
        } catch (Problem | IllegalArgumentException e) {
            // refused: Answer makes a reply of both
        }
    }
}
