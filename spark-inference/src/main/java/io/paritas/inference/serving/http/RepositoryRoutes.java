/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.paritas.inference.serving.ModelStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The model repository extension of the protocol, as Triton has it: which versions there are, and a new one in the place of another. */
final class RepositoryRoutes {
    private RepositoryRoutes() {}

    static Answer index(List<ModelStatus> models) {
        ArrayNode all = Json.array();
        for (ModelStatus status : models) {
            String state = status.draining() ? "UNLOADING" : status.isReady() ? "READY" : "UNAVAILABLE";
            all.addObject()
                    .put("name", status.model().name())
                    .put("version", status.model().version())
                    .put("state", state)
                    .put("reason", state.equals("UNAVAILABLE") ? "no instance is ready" : "");
        }
        return Answer.json(all);
    }

    /** Replaces a version; answered when that is done. */
    static CompletableFuture<Answer> load(
            Optional<Repository> repository, String token, String name, FullHttpRequest request) {
        if (repository.isEmpty()) {
            throw new Problem(
                    HttpResponseStatus.NOT_IMPLEMENTED,
                    "models of this server are replaced by the program that has it, with Deployment.replace");
        }
        if (token.isEmpty()) {
            throw new Problem(
                    HttpResponseStatus.FORBIDDEN,
                    "who loads a model names files of the server, so it takes a token: start the server with a token file");
        }
        return repository.get().load(name, parameters(request)).handle((version, failure) -> {
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

    private static Map<String, String> parameters(FullHttpRequest request) {
        byte[] body = ByteBufUtil.getBytes(request.content());
        JsonNode given = Json.read(body, body.length).path("parameters");
        Map<String, String> parameters = new LinkedHashMap<>();
        given.properties().forEach(entry -> {
            if (!entry.getValue().isTextual()) {
                throw Problem.badRequest(
                        "the parameters of a load must be strings, '" + entry.getKey() + "' is " + entry.getValue());
            }
            parameters.put(entry.getKey(), entry.getValue().textValue());
        });
        return parameters;
    }
}
