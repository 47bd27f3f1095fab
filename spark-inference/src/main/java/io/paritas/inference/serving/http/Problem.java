/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.handler.codec.http.HttpResponseStatus;

/** What is wrong with a request, or why it cannot be answered: a status and a sentence for the client. */
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
