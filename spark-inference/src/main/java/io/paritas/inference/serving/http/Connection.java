/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.paritas.inference.serving.protocol.Connections;
import io.paritas.inference.serving.protocol.RequestLog;
import io.paritas.inference.serving.protocol.UnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers the requests of a connection, one after the other: the next is read when the last is answered. */
final class Connection extends SimpleChannelInboundHandler<Object> {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    private static final CompletableFuture<Answer> NONE = CompletableFuture.completedFuture(null);

    private final Routes routes;
    private final Connections connections;
    private CompletableFuture<Answer> answer = NONE;
    private boolean ended;

    Connection(Routes routes, Connections connections) {
        this.routes = routes;
        this.connections = connections;
    }

    /** A request as its answer needs it. */
    private record Asked(RequestLog log, HttpVersion version, After after) {}

    /** What becomes of a connection after an answer. */
    private enum After {
        KEEP,
        CLOSE,
        /** What follows is not known to be a request, or there is nobody to answer it. */
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
        if (message instanceof Refusal refusal) {
            answer(
                    context,
                    new Asked(refusal.log(), HttpVersion.HTTP_1_1, After.END),
                    CompletableFuture.failedFuture(refusal.problem()));
            return;
        }
        FullHttpRequest request = (FullHttpRequest) message;
        context.pipeline().get(RequestTimeout.class).complete();
        context.pipeline().get(Requests.class).taken(request);
        RequestLog log = routes.log(request);
        if (request.decoderResult().isFailure()) {
            String cause = request.decoderResult().cause().getMessage();
            var problem = Problem.badRequest(
                    "requests must be HTTP/1.1: " + (cause == null ? "a part of this one cannot be read" : cause));
            answer(context, new Asked(log, HttpVersion.HTTP_1_1, After.END), CompletableFuture.failedFuture(problem));
        } else {
            After after = HttpUtil.isKeepAlive(request) ? After.KEEP : After.CLOSE;
            CompletableFuture<Answer> future = routes.answer(request);
            answer(context, new Asked(log, request.protocolVersion(), after), future);
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
                asked.log.left();
                return null;
            }
            Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
            Answer told = failure == null ? done : answer(failure);
            if (failure == null) {
                asked.log.answered(told.status().code(), told.headers().get("Paritas-Outcome"));
            } else {
                asked.log.failed(told.status().code(), String.valueOf(failure.getMessage()));
            }
            context.executor().execute(() -> write(context, told, asked));
            return null;
        });
    }

    private static Answer answer(Throwable failure) {
        if (failure instanceof Problem problem) {
            return Answer.of(problem);
        }
        if (failure instanceof UnavailableException) {
            return Answer.of(new Problem(HttpResponseStatus.GATEWAY_TIMEOUT, failure.getMessage()));
        }
        RequestLog.fault(failure);
        return Answer.of(new Problem(
                HttpResponseStatus.INTERNAL_SERVER_ERROR,
                "this server has a fault, which its log describes: " + failure));
    }

    private void write(ChannelHandlerContext context, Answer told, Asked asked) {
        answer = NONE; // an idle connection keeps no reply
        After after = asked.after == After.KEEP && connections.areEnding() ? After.END : asked.after;
        ended = after != After.KEEP;
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
        if (cause instanceof Error) {
            RequestLog.fault(cause);
        } else {
            LOG.debug("Paritas: a connection broke", cause);
        }
        close(context);
    }

    private static void close(ChannelHandlerContext context) {
        var unused = context.close();
    }
}
