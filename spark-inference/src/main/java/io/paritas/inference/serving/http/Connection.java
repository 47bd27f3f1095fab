/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Answers the requests of a connection, one after the other: the next is read when the last is answered. */
final class Connection extends SimpleChannelInboundHandler<Object> {
    private static final Logger LOG = LoggerFactory.getLogger("io.paritas.inference.serving.requests");

    private static final CompletableFuture<Answer> NONE = CompletableFuture.completedFuture(null);

    private final Routes routes;
    private CompletableFuture<Answer> answer = NONE;
    private boolean ended;

    Connection(Routes routes) {
        this.routes = routes;
    }

    /** A request as its answer needs it. */
    private record Asked(String what, HttpVersion version, After after, long start) {}

    /** What becomes of a connection after an answer. */
    private enum After {
        KEEP,
        CLOSE,
        /** What follows the request is not known to be one. */
        END
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.read();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, Object message) {
        if (ended) {
            return;
        }
        long start = System.nanoTime();
        if (message instanceof Refusal refusal) {
            answer(
                    context,
                    new Asked(refusal.request(), HttpVersion.HTTP_1_1, After.END, start),
                    CompletableFuture.failedFuture(refusal.problem()));
            return;
        }
        FullHttpRequest request = (FullHttpRequest) message;
        context.pipeline().get(RequestTimeout.class).complete();
        context.pipeline().get(Requests.class).taken();
        String what = request.method() + " " + request.uri();
        if (request.decoderResult().isFailure()) {
            Throwable cause = request.decoderResult().cause();
            var problem = Problem.badRequest("requests must be HTTP/1.1: " + cause.getMessage());
            answer(
                    context,
                    new Asked(what, HttpVersion.HTTP_1_1, After.END, start),
                    CompletableFuture.failedFuture(problem));
        } else {
            After after = HttpUtil.isKeepAlive(request) ? After.KEEP : After.CLOSE;
            CompletableFuture<Answer> future = routes.answer(request);
            answer(context, new Asked(what, request.protocolVersion(), after, start), future);
            context.executor().execute(() -> watch(context, future)); // when all that was read is decoded
        }
    }

    /**
     * Reads on while a request is worked on, because only who reads is told that the client has left; but not if the next request is
     * here, or requests would be taken in faster than they are answered.
     */
    private void watch(ChannelHandlerContext context, CompletableFuture<Answer> future) {
        if (answer == future && !context.pipeline().get(Requests.class).hasNext()) {
            context.pipeline().get(RequestTimeout.class).readAhead();
        }
    }

    /** The client has left: nobody waits for its answer. */
    @Override
    public void channelInactive(ChannelHandlerContext context) {
        answer.cancel(false);
    }

    private void answer(ChannelHandlerContext context, Asked asked, CompletableFuture<Answer> future) {
        ended = asked.after != After.KEEP;
        answer = future;
        var unused = future.handle((done, thrown) -> {
            if (future.isCancelled()) {
                log(asked, Json.object().put("error", "the client has left"), Level.INFO);
                return null;
            }
            Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
            Answer told = failure == null ? done : answer(failure);
            log(asked, told, failure);
            context.executor().execute(() -> write(context, told, asked));
            return null;
        });
    }

    private static Answer answer(Throwable failure) {
        if (failure instanceof Problem problem) {
            return Answer.of(problem);
        }
        LOG.error("Paritas: a request could not be answered", failure);
        return Answer.of(new Problem(
                HttpResponseStatus.INTERNAL_SERVER_ERROR,
                "this server has a fault, which its log describes: " + failure));
    }

    private static void log(Asked asked, Answer answer, Throwable failure) {
        ObjectNode end = Json.object().put("status", answer.status().code());
        if (failure == null) {
            log(asked, end.put("origin", answer.headers().get("Paritas-Origin")), Level.DEBUG);
        } else {
            log(asked, end.put("error", String.valueOf(failure.getMessage())), Level.INFO);
        }
    }

    private static void log(Asked asked, ObjectNode end, Level level) {
        if (LOG.isEnabledForLevel(level)) {
            var line = Json.object()
                    .put("request", asked.what)
                    .put("ms", (System.nanoTime() - asked.start) / 1e6)
                    .setAll(end);
            LOG.atLevel(level).log(line.toString());
        }
    }

    private void write(ChannelHandlerContext context, Answer told, Asked asked) {
        answer = NONE; // an idle connection keeps no reply
        After after = asked.after;
        FullHttpResponse response = told.response();
        // Clients of HTTP/1.0 must be told that a connection is kept.
        HttpUtil.setKeepAlive(response.headers(), asked.version, after == After.KEEP);
        RequestTimeout timeout = context.pipeline().get(RequestTimeout.class);
        var unused = context.writeAndFlush(response).addListener(done -> {
            if (after == After.CLOSE || !done.isSuccess()) {
                close(context);
            } else if (!context.channel().isActive()) {
                return;
            } else if (after == After.END) {
                timeout.linger(context);
            } else {
                timeout.answered(context);
                context.read();
            }
        });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("Paritas: a connection broke", cause);
        close(context);
    }

    private static void close(ChannelHandlerContext context) {
        var unused = context.close();
    }
}
