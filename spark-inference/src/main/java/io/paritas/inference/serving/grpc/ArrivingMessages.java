/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.grpc.Context;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.paritas.inference.serving.protocol.BodyMemory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Ends calls for whose messages there is no memory while they arrive, and those whose messages take too long to arrive: gRPC itself
 * bounds the length of each message, but not that of all together, nor their time.
 */
final class ArrivingMessages {
    private static final Context.Key<Arriving> ARRIVING = Context.key("paritas-arriving");

    private ArrivingMessages() {}

    /**
     * Lets the messages of a server take this memory until they have come as a whole.
     *
     * @param threads which read the server's connections
     * @param time longest of a message, from its first byte
     */
    static void bound(NettyServerBuilder builder, BodyMemory memory, EventLoopGroup threads, Duration time) {
        builder.addStreamTracerFactory(new ServerStreamTracer.Factory() {
                    @Override
                    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
                        return new Arriving(memory, current(threads), time);
                    }
                })
                .intercept(new Refusal());
    }

    private static EventExecutor current(EventLoopGroup threads) {
        for (EventExecutor thread : threads) {
            if (thread.inEventLoop()) {
                return thread;
            }
        }
        throw new IllegalStateException("calls must begin on a thread of their server, got " + Thread.currentThread());
    }

    /*
     * gRPC tells a tracer of each part of a message, and lets it put itself where the interceptor of the call finds it. All on the thread
     * of the call's connection. Of a message that is not asked for it tells nothing.
     */
    private static final class Arriving extends ServerStreamTracer {
        private final BodyMemory memory;
        private final BodyMemory.Part part;
        private final EventExecutor thread;
        private final Duration time;
        private Consumer<Status> end = status -> {}; // of a call that nobody has asked for messages
        private Future<?> deadline; // of the message that has begun; null if none has
        private boolean refused;

        Arriving(BodyMemory memory, EventExecutor thread, Duration time) {
            this.memory = memory;
            this.part = memory.part();
            this.thread = thread;
            this.time = time;
        }

        @Override
        public Context filterContext(Context context) {
            return context.withValue(ARRIVING, this);
        }

        @Override
        public void inboundWireSize(long bytes) {
            if (refused) {
                return;
            }
            if (!part.take(bytes)) {
                refuse(Status.UNAVAILABLE.withDescription(memory.refusal()));
            } else if (deadline == null) {
                deadline = thread.schedule(this::late, time.toMillis(), TimeUnit.MILLISECONDS);
            }
        }

        private void late() {
            refuse(Status.DEADLINE_EXCEEDED.withDescription("a message must come as a whole within " + time.toMillis()
                    + " ms of its first byte: send fewer rows at once"));
        }

        private void refuse(Status status) {
            refused = true;
            end.accept(status);
        }

        @Override
        public void inboundMessageRead(int number, long bytes, long inflated) {
            noDeadline();
            part.giveBack(bytes);
        }

        @Override
        public void streamClosed(Status status) {
            noDeadline();
            part.close();
        }

        private void noDeadline() {
            if (deadline != null) {
                deadline.cancel(false);
                deadline = null;
            }
        }
    }

    private static final class Refusal implements ServerInterceptor {
        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            Arriving arriving = ARRIVING.get();
            ServerCall<Q, R> once = new ClosedOnce<>(call);
            arriving.end = status -> once.close(status, new Metadata());
            return new SimpleForwardingServerCallListener<>(next.startCall(once, headers)) {
                @Override
                public void onMessage(Q message) {
                    if (!arriving.refused) {
                        super.onMessage(message);
                    }
                }

                @Override
                public void onHalfClose() {
                    if (!arriving.refused) {
                        super.onHalfClose();
                    }
                }
            };
        }
    }

    /* The service may have closed it, from any thread, when a message is refused, and the other way round. gRPC forbids the second time. */
    private static final class ClosedOnce<Q, R> extends SimpleForwardingServerCall<Q, R> {
        private final AtomicBoolean closed = new AtomicBoolean();

        ClosedOnce(ServerCall<Q, R> call) {
            super(call);
        }

        @Override
        public void close(Status status, Metadata trailers) {
            if (closed.compareAndSet(false, true)) {
                super.close(status, trailers);
            }
        }
    }
}
