/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.paritas.inference.Outcome;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.RejectedException;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.ServedModel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/** The routes of a model, and of one version of it: metadata, readiness and inference. Thread-safe; never blocks. */
final class ModelRoutes {
    private static final Pattern TENANT = Pattern.compile("[\\x21-\\x7e]{1,128}");

    private final FrontEnd frontEnd;
    private final int replyBytes;

    /** Routes whose replies to requests for predictions have at most this many bytes. */
    ModelRoutes(FrontEnd frontEnd, int replyBytes) {
        this.frontEnd = frontEnd;
        this.replyBytes = replyBytes;
    }

    private ServedModel model(Map<String, String> parameters) {
        return frontEnd.model(parameters.get("model"), parameters.getOrDefault("version", ""));
    }

    /** The model that queries go to now: while a version replaces another, one after the other. */
    private ServedModel turn(Map<String, String> parameters) {
        return frontEnd.turn(parameters.get("model"), parameters.getOrDefault("version", ""));
    }

    Answer readiness(Map<String, String> parameters) {
        ServedModel model = model(parameters);
        return frontEnd.status(model.name(), model.version()).isReady() ? Answer.ready() : Answer.notReady();
    }

    Answer metadata(Map<String, String> parameters) {
        ServedModel model = model(parameters);
        ObjectNode json = Json.object().put("name", model.name());
        var versions = json.putArray("versions");
        frontEnd.status().stream()
                .filter(status -> status.model().name().equals(model.name()))
                .forEach(status -> versions.add(status.model().version()));
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

    CompletableFuture<Answer> infer(FullHttpRequest request, Map<String, String> parameters) {
        ServedModel model = turn(parameters);
        try {
            return infer(request, model);
        } catch (RejectedException e) {
            ServedModel now = turn(parameters);
            if (now.equals(model)) {
                throw e;
            }
            return infer(request, now); // the version was replaced in between
        }
    }

    private CompletableFuture<Answer> infer(FullHttpRequest request, ServedModel model) {
        requireUncompressed(request);
        byte[] body = ByteBufUtil.getBytes(request.content());
        InferRequest query = InferRequest.read(model, body, jsonLength(request, body.length));
        requireFewRows(model, query);
        requireShortReply(model, query);
        List<CompletableFuture<Reply>> replies =
                frontEnd.predict(model.name(), model.version(), tenant(request), query.rows(), query.deadline());
        CompletableFuture<Answer> answer = CompletableFuture.allOf(replies.toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> answer(
                        model,
                        query,
                        replies.stream().map(CompletableFuture::join).toList()));
        var unused = answer.whenComplete((done, failure) -> {
            if (answer.isCancelled()) {
                cancel(replies);
            }
        });
        return answer;
    }

    /* The last first: an instance that becomes free meanwhile would take the next of those that are left. */
    private static void cancel(List<CompletableFuture<Reply>> replies) {
        for (int row = replies.size() - 1; row >= 0; row--) {
            replies.get(row).cancel(false);
        }
    }

    private static void requireUncompressed(FullHttpRequest request) {
        for (String coding : request.headers().getAll(HttpHeaderNames.CONTENT_ENCODING)) {
            if (!coding.isBlank() && !HttpHeaderValues.IDENTITY.contentEqualsIgnoreCase(coding.strip())) {
                throw new Problem(
                        HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE,
                        "bodies must not be compressed, got Content-Encoding: " + coding);
            }
        }
    }

    /* More would be rejected however long a client waits. */
    private static void requireFewRows(ServedModel model, InferRequest query) {
        int most = model.limits().waiting();
        if (query.rows().size() > most) {
            throw Problem.badRequest("the rows of a request for the model " + model + " must be at most " + most
                    + ", as many as may wait for an instance, got "
                    + query.rows().size() + ": send fewer at once");
        }
    }

    /* Counted before the queries are sent: what is too long to write need not be computed. */
    private void requireShortReply(ServedModel model, InferRequest query) {
        int rows = query.rows().size();
        long bytes = InferReply.bytesPerRow(model, query.outputs());
        if (bytes > replyBytes / rows) {
            throw Problem.badRequest("the outputs of a reply must have at most " + replyBytes + " bytes, got " + rows
                    + " rows of up to " + bytes + ": send fewer rows at once, or ask for bytes with the parameter"
                    + " binary_data_output");
        }
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
            throw Problem.badRequest("Paritas-Tenant must be 1 to 128 printable ASCII characters without blanks");
        }
        return tenant;
    }

    /** A request with an unavailable row is an error: its values would have to be made up. */
    private static Answer answer(ServedModel model, InferRequest query, List<Reply> replies) {
        List<Reply> unavailable = replies.stream()
                .filter(reply -> reply.outcome() == Outcome.UNAVAILABLE)
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
