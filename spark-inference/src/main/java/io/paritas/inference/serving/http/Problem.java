/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.handler.codec.http.HttpResponseStatus;

/** An error for a client: a status, and a message that says what is wrong with the request or why it cannot be answered. */
final class Problem extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient HttpResponseStatus status;

    Problem(HttpResponseStatus status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    static Problem badRequest(String message) {
        return new Problem(HttpResponseStatus.BAD_REQUEST, message);
    }

    HttpResponseStatus status() {
        return status;
    }
}
