/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A row of the table of {@link Routes}.
 *
 * @param method the only one that the path takes, but for HEAD where it is GET
 * @param path a path whose parts in braces are parameters, such as {@code /v2/models/{model}}
 * @param access who may ask
 * @param handler answers such requests
 */
record Route(HttpMethod method, String path, Access access, Handler handler) {

    /** Who may ask. */
    enum Access {
        /** Everybody. */
        OPEN,
        /** Clients with the server's token. */
        TOKEN
    }

    /** Answers requests. */
    @FunctionalInterface
    interface Handler {

        /**
         * Answers a request, which it does not keep.
         *
         * @param parameters of the path, by name
         * @return exceptional with a {@link Problem}, or a fault of this server; cancelled if its client leaves before
         */
        CompletableFuture<Answer> answer(FullHttpRequest request, Map<String, String> parameters);
    }

    /** A route whose answer does not depend on the body, and is there at once. */
    static Route get(String path, Access access, Function<Map<String, String>, Answer> answer) {
        return new Route(
                HttpMethod.GET,
                path,
                access,
                (request, parameters) -> CompletableFuture.completedFuture(answer.apply(parameters)));
    }

    /** Whether the path takes a method. An answer to HEAD is that to GET, whose body the server's codec leaves out. */
    boolean takes(HttpMethod given) {
        return given.equals(method) || (given.equals(HttpMethod.HEAD) && method.equals(HttpMethod.GET));
    }

    /** The methods that the path takes, as a header has them. */
    String methods() {
        return method.equals(HttpMethod.GET) ? "GET, HEAD" : method.name();
    }

    /** The parameters in a path; empty if the route has another path. */
    Optional<Map<String, String>> match(String given) {
        List<String> parts = parts(path);
        List<String> values = parts(given);
        if (parts.size() != values.size()) {
            return Optional.empty();
        }
        Map<String, String> parameters = new HashMap<>();
        for (int i = 0; i < parts.size(); i++) {
            String part = parts.get(i);
            String value = values.get(i);
            if (part.startsWith("{") && !value.isEmpty()) {
                parameters.put(part.substring(1, part.length() - 1), value);
            } else if (!part.equals(value)) {
                return Optional.empty();
            }
        }
        return Optional.of(parameters);
    }

    private static List<String> parts(String path) {
        return Arrays.asList(path.split("/", -1));
    }
}
