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

/** One request after the other of a connection: the next one is read when the one before has been answered. */
final class Connection extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final System.Logger LOG = System.getLogger("io.paritas.inference.serving.requests");

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
        context.pipeline().get(Patience.class).complete();
        long start = System.nanoTime();
        String what = request.method() + " " + request.uri();
        boolean keep = HttpUtil.isKeepAlive(request);
        var unused = (request.decoderResult().isFailure()
                        ? CompletableFuture.<Answer>failedFuture(Problem.badRequest("this is no HTTP/1.1: "
                                + request.decoderResult().cause().getMessage()))
                        : routes.answer(request))
                .handle((answer, failure) -> {
                    Answer told = failure == null ? answer : answer(failure);
                    log(what, told, failure, System.nanoTime() - start);
                    context.executor().execute(() -> write(context, told, keep));
                    return null;
                });
    }

    private static Answer answer(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof Problem problem) {
            return Answer.of(problem);
        }
        LOG.log(System.Logger.Level.ERROR, "Paritas: a request could not be answered", cause);
        return Answer.of(new Problem(
                HttpResponseStatus.INTERNAL_SERVER_ERROR, "this server has a fault, its log says which: " + cause));
    }

    private static void log(String what, Answer answer, Throwable failure, long nanos) {
        System.Logger.Level level = failure == null ? System.Logger.Level.DEBUG : System.Logger.Level.INFO;
        if (LOG.isLoggable(level)) {
            var line = Json.object()
                    .put("request", what)
                    .put("status", answer.status().code())
                    .put("ms", nanos / 1e6);
            if (failure == null) {
                line.put("origin", answer.headers().get("Paritas-Origin"));
            } else {
                line.put("error", String.valueOf(failure.getMessage()));
            }
            LOG.log(level, line.toString());
        }
    }

    private static void write(ChannelHandlerContext context, Answer answer, boolean keep) {
        FullHttpResponse response = answer.response();
        HttpUtil.setKeepAlive(response, keep);
        Patience patience = context.pipeline().get(Patience.class);
        var unused = context.writeAndFlush(response).addListener(done -> {
            if (!keep || !done.isSuccess()) {
                close(context);
            } else if (context.channel().isActive()) {
                patience.answered(context);
                context.read();
            }
        });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.log(System.Logger.Level.DEBUG, "Paritas: a connection broke", cause);
        close(context);
    }

    private static void close(ChannelHandlerContext context) {
        var unused = context.close();
    }

    /** Tells a client in a hurry why its connection is closed. */
    static void refuse(ChannelHandlerContext context, Problem problem) {
        FullHttpResponse response = Answer.of(problem).response();
        HttpUtil.setKeepAlive(response, false);
        var unused = context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }
}
