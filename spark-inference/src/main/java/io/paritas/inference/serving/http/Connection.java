/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Answers the requests of a connection, one after the other: the next is read when the last is answered. */
final class Connection extends SimpleChannelInboundHandler<Object> {
    private static final Logger LOG = LoggerFactory.getLogger("io.paritas.inference.serving.requests");

    private final Routes routes;
    private boolean ended;

    Connection(Routes routes) {
        this.routes = routes;
    }

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
            answer(context, start, refusal.request(), After.END, CompletableFuture.failedFuture(refusal.problem()));
            return;
        }
        FullHttpRequest request = (FullHttpRequest) message;
        context.pipeline().get(RequestTimeout.class).complete();
        String what = request.method() + " " + request.uri();
        if (request.decoderResult().isFailure()) {
            Throwable cause = request.decoderResult().cause();
            var problem = Problem.badRequest("requests must be HTTP/1.1: " + cause.getMessage());
            answer(context, start, what, After.END, CompletableFuture.failedFuture(problem));
        } else {
            After after = HttpUtil.isKeepAlive(request) ? After.KEEP : After.CLOSE;
            answer(context, start, what, after, routes.answer(request));
        }
    }

    private void answer(
            ChannelHandlerContext context, long start, String what, After after, CompletableFuture<Answer> answer) {
        ended = after != After.KEEP;
        var unused = answer.handle((done, thrown) -> {
            Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
            Answer told = failure == null ? done : answer(failure);
            log(what, told, failure, System.nanoTime() - start);
            context.executor().execute(() -> write(context, told, after));
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

    private static void log(String what, Answer answer, Throwable failure, long nanos) {
        Level level = failure == null ? Level.DEBUG : Level.INFO;
        if (LOG.isEnabledForLevel(level)) {
            var line = Json.object()
                    .put("request", what)
                    .put("status", answer.status().code())
                    .put("ms", nanos / 1e6);
            if (failure == null) {
                line.put("origin", answer.headers().get("Paritas-Origin"));
            } else {
                line.put("error", String.valueOf(failure.getMessage()));
            }
            LOG.atLevel(level).log(line.toString());
        }
    }

    private static void write(ChannelHandlerContext context, Answer answer, After after) {
        FullHttpResponse response = answer.response();
        HttpUtil.setKeepAlive(response, after == After.KEEP);
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
