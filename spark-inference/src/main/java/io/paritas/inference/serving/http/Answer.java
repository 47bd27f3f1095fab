/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** An HTTP answer: a status, headers and a body. */
record Answer(HttpResponseStatus status, Map<String, String> headers, ByteBuf body) {
    /** The header of requests and answers with the length of the JSON that binary data follows. */
    static final String JSON_LENGTH = "Inference-Header-Content-Length";

    private static final String TYPE = HttpHeaderNames.CONTENT_TYPE.toString();
    private static final String JSON = "application/json";

    static Answer json(JsonNode json) {
        return json(HttpResponseStatus.OK, json);
    }

    static Answer json(HttpResponseStatus status, JsonNode json) {
        return new Answer(status, Map.of(TYPE, JSON), Unpooled.wrappedBuffer(Json.bytes(json)));
    }

    static Answer ready() {
        return json(Json.object().put("ready", true));
    }

    static Answer notReady() {
        return json(HttpResponseStatus.BAD_REQUEST, Json.object().put("ready", false));
    }

    static Answer text(String text) {
        return new Answer(
                HttpResponseStatus.OK,
                Map.of(TYPE, "text/plain; version=0.0.4; charset=utf-8"),
                Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    static Answer of(InferReply reply) {
        boolean plain = reply.jsonLength() == reply.body().readableBytes();
        String outcome = reply.outcome().label();
        return new Answer(
                HttpResponseStatus.OK,
                plain
                        ? Map.of(TYPE, JSON, "Paritas-Outcome", outcome)
                        : Map.of(
                                TYPE,
                                "application/octet-stream",
                                JSON_LENGTH,
                                String.valueOf(reply.jsonLength()),
                                "Paritas-Outcome",
                                outcome),
                reply.body());
    }

    static Answer of(Problem problem) {
        Map<String, String> headers = new HashMap<>(problem.headers());
        headers.put(TYPE, JSON);
        switch (problem.status().code()) {
            case 401 -> headers.put(HttpHeaderNames.WWW_AUTHENTICATE.toString(), "Bearer");
            case 503 -> headers.put(HttpHeaderNames.RETRY_AFTER.toString(), "1");
            default -> {}
        }
        return new Answer(problem.status(), headers, Unpooled.wrappedBuffer(Json.error(problem.getMessage())));
    }

    FullHttpResponse response() {
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
        headers.forEach(response.headers()::set);
        response.headers().set("X-Content-Type-Options", "nosniff");
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
        return response;
    }
}
