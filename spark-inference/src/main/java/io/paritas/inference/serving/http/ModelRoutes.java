/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.codec.http.FullHttpRequest;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.protocol.Identity;
import io.paritas.inference.serving.protocol.OutputTensor;
import io.paritas.inference.serving.protocol.Predictions;
import io.paritas.inference.serving.trace.TraceSpan;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The routes of a model, and of one version of it: metadata, readiness and inference. Thread-safe; never blocks. */
final class ModelRoutes {
    private final FrontEnd frontEnd;
    private final HttpOptions.Bounds bounds;

    ModelRoutes(FrontEnd frontEnd, HttpOptions.Bounds bounds) {
        this.frontEnd = frontEnd;
        this.bounds = bounds;
    }

    private ServedModel model(Map<String, String> parameters) {
        return frontEnd.model(parameters.get("model"), parameters.getOrDefault("version", ""));
    }

    boolean isReady(Map<String, String> parameters) {
        return frontEnd.status(parameters.get("model"), parameters.getOrDefault("version", ""))
                .isReady();
    }

    Answer metadata(Map<String, String> parameters) {
        ServedModel model = model(parameters);
        ObjectNode json = Json.object().put("name", model.name());
        var versions = json.putArray("versions");
        frontEnd.versions(model.name()).forEach(versions::add);
        json.put("platform", Identity.NAME);
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
        TraceSpan span = frontEnd.traces()
                .begin(Predictions.name(frontEnd, parameters.get("model")), request.headers()::get)
                .with("paritas.protocol", "HTTP");
        return Predictions.traced(
                span,
                () -> frontEnd.atTurn(
                        parameters.get("model"),
                        parameters.getOrDefault("version", ""),
                        model -> infer(request, model, span)));
    }

    private CompletableFuture<Answer> infer(FullHttpRequest request, ServedModel model, TraceSpan span) {
        byte[] body = RequestBody.of(request, bounds.bodyBytes());
        try {
            InferRequest query = InferRequest.read(model, body, jsonLength(request, body.length));
            OutputTensor.requireShort(
                    query.rows().size(),
                    InferReply.bytesPerRow(model, query.outputs()),
                    bounds.replyBytes(),
                    ", or ask for bytes with the parameter binary_data_output");
            String tenant = request.headers().get("Paritas-Tenant", "");
            List<CompletableFuture<Reply>> replies = frontEnd.predict(
                    model.name(), model.version(), tenant, query.rows(), query.deadline(), span, Runnable::run);
            return Predictions.answer(replies, span, all -> Answer.of(InferReply.write(model, query, all)));
        } catch (IllegalArgumentException e) {
            throw Problem.badRequest(e.getMessage());
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
}
