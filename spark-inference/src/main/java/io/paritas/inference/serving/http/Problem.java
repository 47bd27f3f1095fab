/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.paritas.inference.serving.protocol.ErrorText;
import java.util.Map;

/** An error for a client: a status, and a message that says what is wrong with the request or why it cannot be answered. */
final class Problem extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient HttpResponseStatus status;
    private final transient Map<String, String> headers;

    Problem(HttpResponseStatus status, String message) {
        this(status, message, Map.of());
    }

    /** An error whose answer has these headers as well. */
    Problem(HttpResponseStatus status, String message, Map<String, String> headers) {
        super(ErrorText.of(message), null, false, false);
        this.status = status;
        this.headers = headers;
    }

    static Problem badRequest(String message) {
        return new Problem(HttpResponseStatus.BAD_REQUEST, message);
    }

    HttpResponseStatus status() {
        return status;
    }

    Map<String, String> headers() {
        return headers;
    }
}
