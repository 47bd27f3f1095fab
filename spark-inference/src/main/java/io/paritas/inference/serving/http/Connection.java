/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.channel.ChannelFutureListener;
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
final class Connection extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger("io.paritas.inference.serving.requests");

    private final Routes routes;

    Connection(Routes routes) {
        this.routes = routes;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.read();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        context.pipeline().get(RequestTimeout.class).complete();
        long start = System.nanoTime();
        String what = request.method() + " " + request.uri();
        boolean keep = HttpUtil.isKeepAlive(request);
        var unused = (request.decoderResult().isFailure()
                        ? CompletableFuture.<Answer>failedFuture(Problem.badRequest("requests must be HTTP/1.1: "
                                + request.decoderResult().cause().getMessage()))
                        : routes.answer(request))
                .handle((answer, thrown) -> {
                    Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
                    Answer told = failure == null ? answer : answer(failure);
                    log(what, told, failure, System.nanoTime() - start);
                    context.executor().execute(() -> write(context, told, keep));
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

    private static void write(ChannelHandlerContext context, Answer answer, boolean keep) {
        FullHttpResponse response = answer.response();
        HttpUtil.setKeepAlive(response, keep);
        RequestTimeout timeout = context.pipeline().get(RequestTimeout.class);
        var unused = context.writeAndFlush(response).addListener(done -> {
            if (!keep || !done.isSuccess()) {
                close(context);
            } else if (context.channel().isActive()) {
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

    /** Answers with a problem and closes the connection. */
    static void refuse(ChannelHandlerContext context, Problem problem) {
        FullHttpResponse response = Answer.of(problem).response();
        HttpUtil.setKeepAlive(response, false);
        var unused = context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }
}
