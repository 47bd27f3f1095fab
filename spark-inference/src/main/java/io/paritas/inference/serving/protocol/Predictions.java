/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import io.paritas.inference.Outcome;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.trace.TraceSpan;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;

/** The replies to the rows of one request, as one. */
public final class Predictions {
    private Predictions() {}

    /** The name of the span of a request: with that of its model, if there is one. Names that clients make up are without end. */
    public static String name(FrontEnd frontEnd, String model) {
        return frontEnd.has(model) ? "infer " + model : "infer";
    }

    /** Asks, and ends the span of the request with the answer. To cancel what is returned cancels the answer. */
    public static <T> CompletableFuture<T> traced(TraceSpan span, Supplier<CompletableFuture<T>> ask) {
        if (!span.isOn()) {
            return ask.get();
        }
        try {
            CompletableFuture<T> answer = ask.get();
            var unused = answer.whenComplete((done, failure) -> {
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                if (cause instanceof CancellationException) {
                    span.with("paritas.withdrawn", "yes").end(System.nanoTime()); // that a client leaves is no error
                } else if (cause != null) {
                    span.fail(String.valueOf(cause.getMessage()), System.nanoTime());
                } else {
                    span.end(System.nanoTime());
                }
            });
            return answer;
        } catch (RuntimeException e) {
            span.fail(e.getMessage(), System.nanoTime());
            throw e;
        }
    }

    /**
     * Makes an answer of the replies to all rows of a request. If a row is unavailable there is none: its values would have to be made
     * up.
     *
     * @param replies of {@link FrontEnd#predict}
     * @param span of the request, which learns the outcome
     * @param answer to replies that have values
     * @return exceptional with an {@link UnavailableException}, or with what {@code answer} throws. To cancel it withdraws all queries
     */
    public static <T> CompletableFuture<T> answer(
            List<CompletableFuture<Reply>> replies, TraceSpan span, Function<List<Reply>, T> answer) {
        CompletableFuture<T> all = CompletableFuture.allOf(replies.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    List<Reply> rows = available(
                            replies.stream().map(CompletableFuture::join).toList());
                    span.with("paritas.rows", rows.size())
                            .with("paritas.outcome", weakest(rows).label());
                    return answer.apply(rows);
                });
        var unused = all.whenComplete((done, failure) -> {
            if (all.isCancelled()) {
                cancel(replies);
            }
        });
        return all;
    }

    /* The last first: an instance that becomes free meanwhile would take the next of those that are left. */
    private static void cancel(List<CompletableFuture<Reply>> replies) {
        for (int row = replies.size() - 1; row >= 0; row--) {
            replies.get(row).cancel(false);
        }
    }

    private static List<Reply> available(List<Reply> replies) {
        List<Reply> unavailable = replies.stream()
                .filter(reply -> reply.outcome() == Outcome.UNAVAILABLE)
                .toList();
        if (!unavailable.isEmpty()) {
            throw new UnavailableException(unavailable.size() + " of " + replies.size() + " rows are unavailable: "
                    + unavailable.get(0).reason());
        }
        return replies;
    }

    /** The weakest outcome of some replies, at least one. */
    public static Outcome weakest(List<Reply> replies) {
        return replies.stream()
                .map(Reply::outcome)
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }
}
