/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.ModelStatus;
import io.paritas.inference.serving.Origin;
import io.paritas.inference.serving.RejectedException;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.UnknownModelException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is answered to a request. Thread-safe; never blocks. */
final class Routes {
    private static final Pattern MODEL = Pattern.compile("/v2/models/([^/]+)(?:/versions/([^/]+))?(/ready|/infer)?");
    private static final Pattern LOAD = Pattern.compile("/v2/repository/models/([^/]+)/load");
    private static final Pattern TENANT = Pattern.compile("[\\x21-\\x7e]{1,128}");
    private static final String BEARER = "Bearer ";

    private final FrontEnd frontEnd;
    private final String token;
    private final Optional<Repository> repository;
    private final Page page = new Page();

    Routes(FrontEnd frontEnd, String token, Optional<Repository> repository) {
        this.frontEnd = frontEnd;
        this.token = token;
        this.repository = repository;
    }

    /** The answer to a request, which is not kept; exceptional with a {@link Problem}, or a bug. */
    CompletableFuture<Answer> answer(FullHttpRequest request) {
        try {
            return route(request);
        } catch (UnknownModelException e) {
            return failed(HttpResponseStatus.NOT_FOUND, e);
        } catch (RejectedException e) {
            return failed(HttpResponseStatus.SERVICE_UNAVAILABLE, e);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static CompletableFuture<Answer> failed(HttpResponseStatus status, RuntimeException e) {
        return CompletableFuture.failedFuture(new Problem(status, e.getMessage()));
    }

    private CompletableFuture<Answer> route(FullHttpRequest request) {
        String path = request.uri().replaceFirst("\\?.*", "");
        if (path.equals("/v2/health/live")) {
            return get(request, Answer.json(Json.object().put("live", true)));
        }
        if (path.equals("/v2/health/ready")) {
            return get(request, ready(frontEnd.isReady()));
        }
        Optional<Answer> file = page.at(path);
        if (file.isPresent()) {
            return get(request, file.get());
        }
        requireToken(request);
        if (path.equals("/v2/paritas/status")) {
            return get(request, Answer.json(StatusJson.of(frontEnd.status())));
        }
        if (path.equals("/v2") || path.equals("/v2/")) {
            return get(request, server());
        }
        if (path.equals("/metrics")) {
            return get(request, Answer.text(PrometheusText.of(frontEnd)));
        }
        if (path.equals("/v2/repository/index")) {
            require(request, HttpMethod.POST);
            return CompletableFuture.completedFuture(RepositoryRoutes.index(frontEnd.status()));
        }
        Matcher load = LOAD.matcher(path);
        if (load.matches()) {
            require(request, HttpMethod.POST);
            return RepositoryRoutes.load(
                    repository, token, frontEnd.model(load.group(1), "").name(), request);
        }
        Matcher model = MODEL.matcher(path);
        if (!model.matches()) {
            throw new Problem(
                    HttpResponseStatus.NOT_FOUND,
                    "there is nothing at " + path
                            + ": /, /v2, /v2/paritas/status, /v2/health/live, /v2/health/ready, /v2/models/NAME,"
                            + " /v2/models/NAME/ready, /v2/models/NAME/infer, /v2/repository/index,"
                            + " /v2/repository/models/NAME/load and /metrics are there");
        }
        return model(request, model.group(1), model.group(2) == null ? "" : model.group(2), model.group(3));
    }

    private CompletableFuture<Answer> model(FullHttpRequest request, String name, String version, String what) {
        if (what == null) {
            return get(request, metadata(frontEnd.model(name, version)));
        }
        if (what.equals("/ready")) {
            return get(request, ready(frontEnd.status(name, version).isReady()));
        }
        require(request, HttpMethod.POST);
        ServedModel model = frontEnd.model(name, version);
        try {
            return infer(request, model);
        } catch (RejectedException e) {
            ServedModel now = frontEnd.model(name, version);
            if (now.equals(model)) {
                throw e;
            }
            return infer(request, now); // the version was replaced just now
        }
    }

    private static CompletableFuture<Answer> get(FullHttpRequest request, Answer answer) {
        require(request, HttpMethod.GET);
        return CompletableFuture.completedFuture(answer);
    }

    private static void require(FullHttpRequest request, HttpMethod method) {
        if (!request.method().equals(method)) {
            throw new Problem(
                    HttpResponseStatus.METHOD_NOT_ALLOWED,
                    request.uri() + " must be asked with " + method + ", got " + request.method());
        }
    }

    private void requireToken(FullHttpRequest request) {
        String given = request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
        byte[] bytes =
                (given.startsWith(BEARER) ? given.substring(BEARER.length()) : "").getBytes(StandardCharsets.UTF_8);
        if (!token.isEmpty() && !MessageDigest.isEqual(token.getBytes(StandardCharsets.UTF_8), bytes)) {
            throw new Problem(
                    HttpResponseStatus.UNAUTHORIZED,
                    "requests must have the header Authorization: Bearer TOKEN with the token of this server");
        }
    }

    private static Answer ready(boolean ready) {
        return Answer.json(
                ready ? HttpResponseStatus.OK : HttpResponseStatus.BAD_REQUEST,
                Json.object().put("ready", ready));
    }

    private static Answer server() {
        ObjectNode json = Json.object().put("name", "paritas");
        String version = FrontEnd.class.getPackage().getImplementationVersion();
        json.put("version", version == null ? "unknown" : version)
                .putArray("extensions")
                .add("binary_tensor_data")
                .add("model_repository");
        return Answer.json(json);
    }

    private Answer metadata(ServedModel model) {
        ObjectNode json = Json.object().put("name", model.name());
        List<ModelStatus> versions = frontEnd.status().stream()
                .filter(status -> status.model().name().equals(model.name()))
                .toList();
        var names = json.putArray("versions");
        versions.forEach(status -> names.add(status.model().version()));
        json.put("platform", "paritas");
        tensor(json, "inputs", model.input());
        tensor(json, "outputs", model.output());
        return Answer.json(json);
    }

    private static void tensor(ObjectNode json, String field, TensorSpec spec) {
        ObjectNode tensor =
                json.putArray(field).addObject().put("name", spec.name()).put("datatype", "FP32");
        var shape = tensor.putArray("shape").add(-1);
        spec.shape().forEach(shape::add);
    }

    private CompletableFuture<Answer> infer(FullHttpRequest request, ServedModel model) {
        if (request.headers().contains(HttpHeaderNames.CONTENT_ENCODING)) {
            throw new Problem(
                    HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE,
                    "bodies must not be compressed, got Content-Encoding: "
                            + request.headers().get(HttpHeaderNames.CONTENT_ENCODING));
        }
        byte[] body = ByteBufUtil.getBytes(request.content());
        InferRequest query = InferRequest.read(model, body, jsonLength(request, body.length));
        List<CompletableFuture<Reply>> replies =
                frontEnd.predict(model.name(), model.version(), tenant(request), query.rows(), query.deadline());
        return CompletableFuture.allOf(replies.toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> answer(
                        model,
                        query,
                        replies.stream().map(CompletableFuture::join).toList()));
    }

    private static int jsonLength(FullHttpRequest request, int all) {
        String given = request.headers().get(Answer.JSON_LENGTH);
        try {
            return given == null ? all : Integer.parseInt(given.strip());
        } catch (NumberFormatException e) {
            throw Problem.badRequest(Answer.JSON_LENGTH + " must be a number of bytes, got '" + given + "'");
        }
    }

    private static String tenant(FullHttpRequest request) {
        String tenant = request.headers().get("Paritas-Tenant", "");
        if (!tenant.isEmpty() && !TENANT.matcher(tenant).matches()) {
            throw Problem.badRequest("Paritas-Tenant must be 1 to 128 printable characters of ASCII without blanks");
        }
        return tenant;
    }

    /** A request with a row that is unavailable has no answer: values for it would have to be made up. */
    private static Answer answer(ServedModel model, InferRequest query, List<Reply> replies) {
        List<Reply> unavailable = replies.stream()
                .filter(reply -> reply.origin() == Origin.UNAVAILABLE)
                .toList();
        if (!unavailable.isEmpty()) {
            throw new Problem(
                    HttpResponseStatus.GATEWAY_TIMEOUT,
                    unavailable.size() + " of " + replies.size() + " rows are unavailable: "
                            + unavailable.get(0).reason());
        }
        return Answer.of(InferReply.write(model, query, replies));
    }
}
