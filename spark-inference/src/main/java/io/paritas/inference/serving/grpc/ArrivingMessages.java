/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.paritas.inference.serving.protocol.BodyMemory;

/** Ends calls for whose messages there is no memory while they arrive: gRPC itself bounds each message, but not all together. */
final class ArrivingMessages {
    private static final Context.Key<Arriving> ARRIVING = Context.key("paritas-arriving");

    private ArrivingMessages() {}

    /** Lets the messages of a server take this memory until they have come as a whole. */
    static void bound(NettyServerBuilder builder, BodyMemory memory) {
        builder.addStreamTracerFactory(new ServerStreamTracer.Factory() {
                    @Override
                    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
                        return new Arriving(memory);
                    }
                })
                .intercept(new Refusal());
    }

    /* gRPC tells a tracer of each part of a message, and lets it put itself where the interceptor of the call finds it. */
    private static final class Arriving extends ServerStreamTracer {
        private final BodyMemory memory;
        private final BodyMemory.Part part;
        private Runnable end = () -> {}; // of a call that nobody has asked for messages
        private volatile boolean refused;

        Arriving(BodyMemory memory) {
            this.memory = memory;
            this.part = memory.part();
        }

        @Override
        public Context filterContext(Context context) {
            return context.withValue(ARRIVING, this);
        }

        @Override
        public void inboundWireSize(long bytes) {
            if (!refused && !part.take(bytes)) {
                refused = true;
                end.run();
            }
        }

        @Override
        public void inboundMessageRead(int number, long bytes, long inflated) {
            part.giveBack(bytes);
        }

        @Override
        public void streamClosed(Status status) {
            part.close();
        }
    }

    private static final class Refusal implements ServerInterceptor {
        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            Arriving arriving = ARRIVING.get();
            arriving.end = () ->
                    call.close(Status.RESOURCE_EXHAUSTED.withDescription(arriving.memory.refusal()), new Metadata());
            return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
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
}
