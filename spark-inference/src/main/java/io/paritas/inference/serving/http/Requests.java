/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.paritas.inference.serving.protocol.BodyMemory;
import io.paritas.inference.serving.protocol.Connections;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Assembles the requests of a connection. What can be refused by its head is, before its body is read: it becomes a
 * {@link Refusal}, and all that follows it is dropped. A body has its part of the memory for bodies before it is read, or as its chunks
 * come.
 */
final class Requests extends HttpObjectAggregator {
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final int bodyBytes;
    private final Routes routes;
    private final Connections connections;
    private final BodyMemory memory;
    private final BodyMemory.Part bodies;
    private int waiting;
    /* That whose body is read, whether its length is not known before, and what it has of the memory. */
    private HttpRequest current;
    private boolean chunked;
    private long reading;
    private boolean ended;

    /** For bodies of at most this many bytes. */
    Requests(int bodyBytes, Routes routes, Connections connections, BodyMemory memory) {
        super(bodyBytes);
        this.bodyBytes = bodyBytes;
        this.routes = routes;
        this.connections = connections;
        this.memory = memory;
        this.bodies = memory.part();
    }

    @Override
    protected void decode(ChannelHandlerContext context, HttpObject part, List<Object> out) throws Exception {
        if (ended) {
            return;
        }
        try {
            if (part instanceof HttpRequest head) {
                current = head;
                chunked = false;
                reading = 0;
                if (head.decoderResult().isSuccess()) {
                    check(context, head);
                }
            } else if (part instanceof HttpContent chunk && chunked) {
                take(chunk.content().readableBytes());
            }
        } catch (Problem problem) {
            out.add(refusal(current, problem));
            // Releases what has come of the request. In Netty 4.1, no other method that can be called does.
            super.handlerRemoved(context);
            return;
        }
        if (part instanceof HttpContent chunk && chunked && chunk.content().isReadable()) {
            assemble(context, chunk, out);
        } else {
            super.decode(context, part, out);
        }
        waiting += out.size();
        if (part instanceof LastHttpContent) {
            current = null; // an idle connection keeps no head
        }
    }

    /* A chunk is a part of what was read from the socket, which may be much more: only a copy has no more memory than it has taken. */
    private void assemble(ChannelHandlerContext context, HttpContent chunk, List<Object> out) throws Exception {
        HttpContent copy = chunk.replace(chunk.content().copy());
        try {
            super.decode(context, copy, out);
        } finally {
            copy.release();
        }
    }

    /* The connection stays until its client has read the answer: what was read of the body does not. */
    private Refusal refusal(HttpRequest request, Problem problem) {
        ended = true;
        waiting++;
        bodies.giveBack(reading);
        return new Refusal(routes.log(request), problem);
    }

    /** A request is taken to be answered. */
    void taken(FullHttpRequest request) {
        waiting--;
        bodies.giveBack(request.content().readableBytes());
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) throws Exception {
        try {
            super.handlerRemoved(context);
        } finally {
            bodies.close();
        }
    }

    /** Whether there is a request behind that which is taken. */
    boolean hasNext() {
        return waiting > 0;
    }

    /** Whether the head of a request has come, and not all of its body. */
    boolean isReading() {
        return current != null;
    }

    private void check(ChannelHandlerContext context, HttpRequest head) {
        if (head.protocolVersion().majorVersion() != 1) {
            throw new Problem(
                    HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED,
                    "requests must be HTTP/1.1, got " + head.protocolVersion());
        }
        List<String> hosts = head.headers().getAll(HttpHeaderNames.HOST);
        boolean former = head.protocolVersion().compareTo(HttpVersion.HTTP_1_1) < 0;
        if (hosts.size() > 1 || (hosts.isEmpty() && !former)) { // RFC 9112, 3.2
            throw Problem.badRequest("requests must have the header Host once, got it " + hosts.size() + " times");
        }
        hosts.forEach(routes::checkHost);
        // Two servers that see different ends of a body see different requests behind it (RFC 9112, 6.1 and 11.2).
        List<String> codings = head.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (!codings.isEmpty()
                && !(codings.size() == 1 && HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.get(0)))) {
            throw new Problem(
                    HttpResponseStatus.NOT_IMPLEMENTED,
                    "Transfer-Encoding must be chunked, got '" + String.join(", ", codings) + "'");
        }
        if (!codings.isEmpty() && !head.protocolVersion().equals(HttpVersion.HTTP_1_1)) { // as Netty from 4.2.13 on
            throw new Problem(
                    HttpResponseStatus.BAD_REQUEST,
                    "requests must be HTTP/1.1: The Transfer-Encoding is unknown to " + head.protocolVersion());
        }
        boolean body = !codings.isEmpty() || HttpUtil.getContentLength(head, 0L) > 0;
        if (body) {
            // Who has no token cannot keep a connection, or memory, with a body that never ends.
            if (routes.at(head).access() == Route.Access.OPEN) {
                throw new Problem(
                        HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, head.uri() + " takes no body: send none");
            }
            connections.works(context.channel());
        }
        String expected = head.headers().get(HttpHeaderNames.EXPECT);
        if (expected != null && !former && !HttpUtil.is100ContinueExpected(head)) { // RFC 9110, 10.1.1
            throw new Problem(
                    HttpResponseStatus.EXPECTATION_FAILED, "Expect must be 100-continue, got '" + expected + "'");
        }
        if (HttpUtil.getContentLength(head, 0L) > bodyBytes) {
            throw tooLong();
        }
        chunked = !codings.isEmpty();
        take(chunked ? 0 : HttpUtil.getContentLength(head, 0L));
    }

    private void take(long bytes) {
        if (!bodies.take(bytes)) {
            throw new Problem(HttpResponseStatus.SERVICE_UNAVAILABLE, memory.refusal());
        }
        reading += bytes;
    }

    /**
     * Sent past the codec, which takes all that it writes for the answer to the oldest request: it would then leave out the body of
     * another answer than that to HEAD.
     */
    @Override
    protected Object newContinueResponse(HttpMessage head, int most, ChannelPipeline pipeline) {
        if (HttpUtil.is100ContinueExpected(head)) { // what is too long is refused before
            head.headers().remove(HttpHeaderNames.EXPECT);
            var unused = pipeline.context(HttpServerCodec.class).writeAndFlush(Unpooled.wrappedBuffer(CONTINUE));
        }
        return null;
    }

    /* A body in chunks tells its length at its end. */
    @Override
    protected void handleOversizedMessage(ChannelHandlerContext context, HttpMessage oversized) {
        var unused = context.fireChannelRead(refusal((HttpRequest) oversized, tooLong()));
    }

    private Problem tooLong() {
        return new Problem(
                HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
                "a body must have at most " + bodyBytes + " bytes, got more: send fewer rows at once");
    }
}
