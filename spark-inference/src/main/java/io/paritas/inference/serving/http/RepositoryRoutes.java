/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.ModelStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The routes of the protocol's model repository extension, as Triton has it: lists versions, and loads new ones. */
final class RepositoryRoutes {
    private final FrontEnd frontEnd;
    private final Optional<Repository> repository;
    private final HttpOptions options;

    RepositoryRoutes(FrontEnd frontEnd, Optional<Repository> repository, HttpOptions options) {
        this.frontEnd = frontEnd;
        this.repository = repository;
        this.options = options;
    }

    CompletableFuture<Answer> index(FullHttpRequest request, Map<String, String> parameters) {
        ArrayNode all = Json.array();
        for (ModelStatus status : frontEnd.status()) {
            String state = status.draining() ? "UNLOADING" : status.isReady() ? "READY" : "UNAVAILABLE";
            all.addObject()
                    .put("name", status.model().name())
                    .put("version", status.model().version())
                    .put("state", state)
                    .put("reason", state.equals("UNAVAILABLE") ? "no instance is ready" : "");
        }
        return CompletableFuture.completedFuture(Answer.json(all));
    }

    /** Replaces the current version. The answer comes when the former version is gone. */
    CompletableFuture<Answer> load(FullHttpRequest request, Map<String, String> parameters) {
        String name = frontEnd.model(parameters.get("model"), "").name();
        if (repository.isEmpty()) {
            throw new Problem(
                    HttpResponseStatus.NOT_IMPLEMENTED,
                    "models of this server must be replaced by its program, with Deployment.replace");
        }
        if (options.token().isEmpty()) {
            throw new Problem(
                    HttpResponseStatus.FORBIDDEN,
                    "a load must be made with a token, because it names files of the server: start the server with a"
                            + " token file");
        }
        return repository.get().load(name, given(request)).handle((version, failure) -> {
            if (failure != null) {
                throw problem(failure instanceof CompletionException ? failure.getCause() : failure);
            }
            return Answer.json(Json.object().put("name", name).put("version", version));
        });
    }

    private static Problem problem(Throwable failure) {
        HttpResponseStatus status = failure instanceof Repository.ConflictException
                ? HttpResponseStatus.CONFLICT
                : HttpResponseStatus.BAD_REQUEST;
        return new Problem(status, failure.getMessage());
    }

    private Map<String, String> given(FullHttpRequest request) {
        byte[] body = RequestBody.of(request, options.bounds().bodyBytes());
        JsonNode given = Json.read(body, body.length).path("parameters");
        Map<String, String> parameters = new LinkedHashMap<>();
        given.properties().forEach(entry -> {
            if (!entry.getValue().isTextual()) {
                throw Problem.badRequest("the parameters of a load must be strings, got " + entry.getValue() + " for '"
                        + entry.getKey() + "'");
            }
            parameters.put(entry.getKey(), entry.getValue().textValue());
        });
        return parameters;
    }
}
