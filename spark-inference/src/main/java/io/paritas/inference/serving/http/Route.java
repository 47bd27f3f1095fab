/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
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
 * @param parts of the path, see {@link #parts(String)}; those in braces are parameters
 * @param access who may ask
 * @param handler answers such requests
 */
record Route(HttpMethod method, List<String> parts, Access access, Handler handler) {

    /** A route at a path such as {@code /v2/models/{model}}. */
    Route(HttpMethod method, String path, Access access, Handler handler) {
        this(method, parts(path), access, handler);
    }

    /** What is between the slashes of a path. */
    static List<String> parts(String path) {
        return List.of(path.split("/", -1));
    }

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

    /** The path, with its parameters in braces. */
    String path() {
        return String.join("/", parts);
    }

    /** Whether the path takes a method. An answer to HEAD is that to GET, whose body the server's codec leaves out. */
    boolean takes(HttpMethod given) {
        return given.equals(method) || (given.equals(HttpMethod.HEAD) && method.equals(HttpMethod.GET));
    }

    /** The methods that the path takes, as a header has them. */
    String methods() {
        return method.equals(HttpMethod.GET) ? "GET, HEAD" : method.name();
    }

    /**
     * The parameters in a path; empty if the route has another path.
     *
     * @param values the parts of the path
     */
    Optional<Map<String, String>> match(List<String> values) {
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
}
