/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest;
import io.paritas.inference.serving.grpc.messages.ModelInferResponse;
import io.paritas.inference.serving.protocol.OutputTensor;
import io.paritas.inference.serving.protocol.Predictions;
import io.paritas.inference.serving.protocol.Timeout;
import io.paritas.inference.serving.trace.TraceSpan;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Asks a front end for predictions. Thread-safe; never blocks. */
final class Inference {
    private final FrontEnd frontEnd;
    private final int replyBytes;

    Inference(FrontEnd frontEnd, int replyBytes) {
        this.frontEnd = frontEnd;
        this.replyBytes = replyBytes;
    }

    /**
     * Answers a request of the call of the current context.
     *
     * @return exceptional with what {@link Errors} knows; to cancel it withdraws the queries
     */
    CompletableFuture<ModelInferResponse> ask(ModelInferRequest request) {
        Metadata headers = Admission.HEADERS.get();
        TraceSpan span = frontEnd.traces()
                .begin(
                        Predictions.name(frontEnd, request.getModelName()),
                        name -> headers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER)))
                .with("paritas.protocol", "gRPC");
        try {
            return Predictions.traced(
                    span,
                    () -> frontEnd.atTurn(
                            request.getModelName(), request.getModelVersion(), model -> ask(request, model, span)));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<ModelInferResponse> ask(ModelInferRequest request, ServedModel model, TraceSpan span) {
        InferRequest query = InferRequest.read(model, request);
        OutputTensor.requireShort(query.rows().size(), InferReply.bytesPerRow(model, query.outputs()), replyBytes, "");
        List<CompletableFuture<Reply>> replies = frontEnd.predict(
                model.name(),
                model.version(),
                Admission.TENANT.get(),
                query.rows(),
                earlier(query.deadline(), Context.current().getDeadline()),
                span,
                Runnable::run);
        return Predictions.answer(replies, span, all -> InferReply.of(model, query, all));
    }

    /* A call's deadline is the client's: the server's own holds for those that have none. */
    private static Duration earlier(Duration asked, Deadline call) {
        if (call == null) {
            return asked;
        }
        long left = Math.max(1, call.timeRemaining(TimeUnit.NANOSECONDS));
        long most = (asked.isZero() ? Timeout.MOST : asked).toNanos();
        return Duration.ofNanos(Math.min(left, most));
    }
}
