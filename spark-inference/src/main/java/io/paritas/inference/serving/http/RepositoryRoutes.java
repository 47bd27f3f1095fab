/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.ModelStatus;
import io.paritas.inference.serving.UnknownModelException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The routes of the protocol's model repository extension, as Triton has it: lists, loads and unloads models. */
final class RepositoryRoutes {
    private static final String UNAVAILABLE = "UNAVAILABLE";

    private final FrontEnd frontEnd;
    private final Optional<Repository> repository;
    private final HttpOptions options;
    /* Those to loads and unloads that are on their way. */
    private final Set<CompletableFuture<Answer>> answers = ConcurrentHashMap.newKeySet();
    private volatile boolean ended;

    RepositoryRoutes(FrontEnd frontEnd, Optional<Repository> repository, HttpOptions options) {
        this.frontEnd = frontEnd;
        this.repository = repository;
        this.options = options;
    }

    CompletableFuture<Answer> index(FullHttpRequest request, Map<String, String> parameters) {
        byte[] body = RequestBody.of(request, options.bounds().bodyBytes());
        boolean onlyReady = body.length > 0 && Json.read(body).path("ready").asBoolean(false);
        return repository
                .map(Repository::candidates)
                .orElse(CompletableFuture.completedFuture(List.of()))
                .thenApply(candidates -> Answer.json(index(onlyReady, candidates)));
    }

    private ArrayNode index(boolean onlyReady, List<Repository.Candidate> candidates) {
        ArrayNode all = Json.array();
        Set<String> served = new HashSet<>();
        for (ModelStatus status : frontEnd.status()) {
            String state = status.draining() ? "UNLOADING" : status.isReady() ? "READY" : UNAVAILABLE;
            served.add(status.model().name());
            if (!onlyReady || state.equals("READY")) {
                String reason = state.equals(UNAVAILABLE) ? "no instance is ready" : "";
                add(all, status.model().name(), status.model().version(), state, reason);
            }
        }
        candidates.stream()
                .filter(candidate -> !onlyReady && !served.contains(candidate.name()))
                .forEach(candidate -> add(
                        all,
                        candidate.name(),
                        "",
                        UNAVAILABLE,
                        candidate.trouble().isEmpty() ? "unloaded" : candidate.trouble()));
        return all;
    }

    private static void add(ArrayNode all, String name, String version, String state, String reason) {
        all.addObject()
                .put("name", name)
                .put("version", version)
                .put("state", state)
                .put("reason", reason);
    }

    /** Loads a model, or replaces its current version. The answer comes when the former version is gone. */
    CompletableFuture<Answer> load(FullHttpRequest request, Map<String, String> parameters) {
        String name = parameters.get("model");
        return change(name, models -> models.load(name, given(request))
                .thenApply(version -> Json.object().put("name", name).put("version", version)));
    }

    /** Unloads a model. The answer comes when it is gone. */
    CompletableFuture<Answer> unload(FullHttpRequest request, Map<String, String> parameters) {
        String name = parameters.get("model");
        return change(name, models -> models.unload(name)
                .thenApply(gone -> Json.object().put("name", name)));
    }

    /** Either {@link #end} sees the answer, or this sees that the server ends. */
    private CompletableFuture<Answer> change(String name, Function<Repository, CompletableFuture<ObjectNode>> change) {
        Repository models = changeable(name);
        if (ended) {
            throw ending();
        }
        CompletableFuture<Answer> answer = told(change.apply(models));
        answers.add(answer);
        var unused = answer.whenComplete((told, failure) -> answers.remove(answer));
        if (ended) {
            answer.completeExceptionally(ending());
        }
        return answer;
    }

    /** Refuses loads and unloads, also those that are on their way: the server does not wait for what would end with it. */
    void end() {
        ended = true;
        answers.forEach(answer -> answer.completeExceptionally(ending()));
    }

    private static Problem ending() {
        return new Problem(
                HttpResponseStatus.SERVICE_UNAVAILABLE,
                "models are loaded and unloaded until their server ends, and this one ends: ask the one in its place");
    }

    private Repository changeable(String name) {
        if (repository.isEmpty()) {
            throw new Problem(
                    HttpResponseStatus.NOT_IMPLEMENTED,
                    "models of this server must be loaded by its program, with Deployment.deploy and replace");
        }
        if (options.token().isEmpty()) {
            throw new Problem(
                    HttpResponseStatus.FORBIDDEN,
                    "the model " + name + " must be loaded and unloaded with a token, because that names files of the"
                            + " server: start the server with a token file");
        }
        return repository.get();
    }

    private static CompletableFuture<Answer> told(CompletableFuture<ObjectNode> done) {
        return done.handle((json, failure) -> {
            if (failure != null) {
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                if (cause instanceof Error fault) { // of this server, not of the client
                    throw fault;
                }
                throw problem(cause);
            }
            return Answer.json(json);
        });
    }

    private static Problem problem(Throwable failure) {
        if (failure instanceof UnknownModelException) {
            return new Problem(HttpResponseStatus.NOT_FOUND, failure.getMessage());
        }
        if (failure instanceof UnsupportedOperationException) {
            return new Problem(HttpResponseStatus.NOT_IMPLEMENTED, failure.getMessage());
        }
        HttpResponseStatus status = failure instanceof Repository.ConflictException
                ? HttpResponseStatus.CONFLICT
                : HttpResponseStatus.BAD_REQUEST;
        return new Problem(status, failure.getMessage());
    }

    private Map<String, String> given(FullHttpRequest request) {
        byte[] body = RequestBody.of(request, options.bounds().bodyBytes());
        if (body.length == 0) {
            return Map.of();
        }
        JsonNode given = Json.parameters(Json.read(body));
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
