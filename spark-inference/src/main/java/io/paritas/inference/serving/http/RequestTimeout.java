/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.paritas.inference.serving.protocol.Connections;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Closes connections that are idle for too long, or whose request takes too long to arrive, however its bytes trickle in. Stands
 * first in a pipeline, where every byte passes.
 */
final class RequestTimeout extends ChannelInboundHandlerAdapter {
    private final Duration receive;
    private final Duration idle;
    private final Connections connections;
    private ChannelHandlerContext own;
    private Future<?> end;
    private boolean receiving;
    private boolean lingering;

    RequestTimeout(HttpOptions.Bounds bounds, Connections connections) {
        this.receive = bounds.receive();
        this.idle = bounds.idle();
        this.connections = connections;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        own = context;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws Exception {
        closeAfter(context, idle);
        super.channelActive(context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        if (lingering) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (!receiving) {
            receiving = true;
            closeAfter(context, receive);
        }
        super.channelRead(context, message);
    }

    /** A request has arrived; its answer has no timeout here. */
    void complete() {
        cancel();
        connections.asked(own.channel());
    }

    /** Reads from the socket. A request that comes waits for its turn. */
    void readAhead() {
        own.read();
    }

    /** A request is answered. The connection is idle, unless it has begun to read the next one. */
    void answered(ChannelHandlerContext context) {
        receiving = context.pipeline().get(Requests.class).isReading();
        if (receiving) {
            connections.answered(context.channel());
            closeAfter(context, receive);
            return;
        }
        connections.waits(context.channel());
        if (connections.haveEnded()) { // since this answer was written
            close(context);
        } else {
            closeAfter(context, idle);
        }
    }

    /**
     * The last answer is written: ends this half of the connection, and drops what still comes for as long as a request may take. To
     * close with unread bytes would reset the connection, and the client might lose the answer (RFC 9112, 9.6).
     */
    void linger(ChannelHandlerContext context) {
        lingering = true;
        connections.waits(context.channel());
        closeAfter(context, receive);
        DuplexChannel channel = (DuplexChannel) context.channel();
        SslHandler tls = context.pipeline().get(SslHandler.class);
        if (tls == null) {
            var unused = channel.shutdownOutput();
        } else {
            var unused = tls.closeOutbound().addListener(done -> {
                var ignored = channel.shutdownOutput();
            });
        }
        channel.config().setAutoRead(true);
    }

    private void closeAfter(ChannelHandlerContext context, Duration time) {
        cancel();
        end = context.executor().schedule(() -> close(context), time.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void close(ChannelHandlerContext context) {
        var unused = context.close();
    }

    private void cancel() {
        if (end != null) {
            end.cancel(false);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        cancel();
        super.channelInactive(context);
    }
}
