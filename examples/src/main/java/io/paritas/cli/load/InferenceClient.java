/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A client of the Open Inference Protocol over HTTP/1.1, with the binary tensor data extension. Thread-safe. */
final class InferenceClient {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int OK = 200;
    private static final int GATEWAY_TIMEOUT = 504;

    private final HttpClient http;
    private final Target target;
    private final Map<String, String> headers;
    private final Duration timeout;

    /**
     * @param headers of every request
     * @param timeout after which a query without a reply has failed
     * @param executor runs the handling of replies
     */
    InferenceClient(Target target, Map<String, String> headers, Duration timeout, Executor executor) {
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .executor(executor)
                .build();
        this.target = target;
        this.headers = Map.copyOf(headers);
        this.timeout = timeout;
    }

    /**
     * Requests the model's inputs.
     *
     * @throws IllegalStateException if nothing answers, the model does not exist, or its inputs cannot be generated
     */
    List<Input> inputs() throws InterruptedException {
        HttpResponse<String> reply = ask(request(target.url()).GET().build());
        if (reply.statusCode() != OK) {
            throw refused(reply);
        }
        try {
            return Input.all(target, MAPPER.readTree(reply.body()));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(
                    "what answers at " + target.url()
                            + " is no server of the Open Inference Protocol: name another URL",
                    e);
        }
    }

    /**
     * Sends a single query first, to find out whether the server accepts it.
     *
     * @throws IllegalStateException if the query or its sender is refused
     */
    void probe(Body body) throws InterruptedException {
        HttpResponse<String> reply = ask(request(body));
        if (reply.statusCode() / 100 == 4) {
            throw refused(reply);
        }
    }

    /** Returns a sender of queries that uses these bodies in turn. */
    Sender sender(List<Body> bodies) {
        List<HttpRequest> requests = bodies.stream().map(this::request).toList();
        return query -> send(requests.get(query % requests.size()));
    }

    private CompletableFuture<Outcome> send(HttpRequest request) {
        return http.sendAsync(request, InferenceClient::body)
                // A second timeout, because that of the request ends when the reply begins.
                .orTimeout(timeout.toNanos() * 2, TimeUnit.NANOSECONDS)
                .handle((reply, failure) -> failure == null ? outcome(reply) : outcome(failure));
    }

    /** Receives the text of a failure; discards predictions. */
    private static HttpResponse.BodySubscriber<String> body(HttpResponse.ResponseInfo reply) {
        return reply.statusCode() == OK
                ? HttpResponse.BodySubscribers.replacing("")
                : HttpResponse.BodySubscribers.ofString(StandardCharsets.UTF_8);
    }

    private static Outcome outcome(HttpResponse<String> reply) {
        int status = reply.statusCode();
        if (status == OK) {
            return Outcome.answered(
                    reply.headers().firstValue("Paritas-Outcome").orElse(""));
        }
        String failure = Integer.toString(status);
        return status == GATEWAY_TIMEOUT
                ? Outcome.unavailable(failure, error(reply.body()))
                : Outcome.failed(failure, error(reply.body()));
    }

    private static Outcome outcome(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof HttpTimeoutException || cause instanceof TimeoutException) {
            return Outcome.failed("no reply", "given up after --timeout");
        }
        String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return Outcome.failed(cause instanceof ConnectException ? "no connection" : "connection lost", message);
    }

    private HttpResponse<String> ask(HttpRequest request) throws InterruptedException {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (ConnectException e) {
            throw new IllegalStateException(
                    "no server listens at " + target.url() + ": start one, with paritas serve, or name another URL", e);
        } catch (IOException e) {
            throw new IllegalStateException(target.url() + " cannot be asked: " + e.getMessage(), e);
        }
    }

    private IllegalStateException refused(HttpResponse<String> reply) {
        String hint =
                switch (reply.statusCode()) {
                    case 401, 403 -> "; name its token with --token-file";
                    case 404 -> "; name another one with --model";
                    default -> "";
                };
        return new IllegalStateException("the server does not take queries for the model '" + target.model() + "' at "
                + target.url() + ", status " + reply.statusCode() + ": " + error(reply.body()) + hint);
    }

    /** Returns the field {@code error} of the reply, or the whole text. */
    private static String error(String body) {
        try {
            String error = MAPPER.readTree(body).path("error").asText("");
            return error.isEmpty() ? Outcome.failed("", body).message() : error;
        } catch (JsonProcessingException e) {
            return Outcome.failed("", body).message();
        }
    }

    private HttpRequest request(Body body) {
        HttpRequest.Builder request =
                request(target.infer()).POST(HttpRequest.BodyPublishers.ofByteArray(body.bytes()));
        if (body.isPlain()) {
            return request.setHeader("Content-Type", "application/json").build();
        }
        return request.setHeader("Content-Type", "application/octet-stream")
                .setHeader("Inference-Header-Content-Length", Integer.toString(body.jsonLength()))
                .build();
    }

    private HttpRequest.Builder request(URI url) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url).timeout(timeout);
        headers.forEach(request::setHeader);
        return request;
    }
}
