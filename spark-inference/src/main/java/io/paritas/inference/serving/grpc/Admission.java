/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.netty.channel.Channel;
import io.paritas.inference.serving.grpc.messages.GRPCInferenceServiceGrpc;
import io.paritas.inference.serving.protocol.BearerToken;
import io.paritas.inference.serving.protocol.LineLimit;
import io.paritas.inference.serving.protocol.RequestLog;
import java.io.InputStream;
import java.util.Optional;
import java.util.Set;

/** Admits calls by their heads, before a message is read, and logs how they end. */
final class Admission implements ServerInterceptor {
    /** The tenant of a call's queries; empty if it names none. */
    static final Context.Key<String> TENANT = Context.keyWithDefault("paritas-tenant", "");

    /** The headers of a call. */
    static final Context.Key<Metadata> HEADERS = Context.keyWithDefault("paritas-headers", new Metadata());

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> TENANT_HEADER =
            Metadata.Key.of("paritas-tenant", Metadata.ASCII_STRING_MARSHALLER);

    /* Probes need no token, as over HTTP. */
    private static final Set<String> OPEN = Set.of(
            GRPCInferenceServiceGrpc.getServerLiveMethod().getFullMethodName(),
            GRPCInferenceServiceGrpc.getServerReadyMethod().getFullMethodName());

    private final BearerToken token;
    private final Callers callers;
    private final LineLimit strangers = new LineLimit();

    Admission(BearerToken token, Callers callers) {
        this.token = token;
        this.callers = callers;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        String method = call.getMethodDescriptor().getFullMethodName();
        String authorization = orEmpty(headers.get(AUTHORIZATION));
        RequestLog log =
                new RequestLog("gRPC " + method, token.isIn(authorization) ? Optional.empty() : Optional.of(strangers));
        ServerCall<Q, R> logged = new Logged<>(call, log);
        if (OPEN.contains(method)) {
            answer(logged, headers, next);
            return new ServerCall.Listener<>() {};
        }
        if (!token.admits(authorization)) {
            logged.close(Status.UNAUTHENTICATED.withDescription(BearerToken.REQUIRED), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        Context context = Context.current()
                .withValue(TENANT, orEmpty(headers.get(TENANT_HEADER)))
                .withValue(HEADERS, headers);
        ServerCall.Listener<Q> service = Contexts.interceptCall(context, logged, headers, next);
        Optional<Channel> caller = callers.begins(call.getAttributes());
        return new SimpleForwardingServerCallListener<>(service) {
            @Override
            public void onComplete() {
                caller.ifPresent(callers::ends);
                super.onComplete();
            }

            @Override
            public void onCancel() {
                caller.ifPresent(callers::ends);
                log.left();
                super.onCancel();
            }
        };
    }

    /* The message of a probe is empty: that which its client sends is not read, and not kept until it has come as a whole. */
    private static <Q, R> void answer(ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        ServerCall.Listener<Q> service = next.startCall(new Unread<>(call), headers);
        service.onMessage(call.getMethodDescriptor().parseRequest(InputStream.nullInputStream()));
        service.onHalfClose();
    }

    private static final class Unread<Q, R> extends SimpleForwardingServerCall<Q, R> {
        Unread(ServerCall<Q, R> call) {
            super(call);
        }

        @Override
        public void request(int messages) {}
    }

    private static String orEmpty(String header) {
        return header == null ? "" : header;
    }

    private static final class Logged<Q, R> extends SimpleForwardingServerCall<Q, R> {
        private final RequestLog log;

        Logged(ServerCall<Q, R> call, RequestLog log) {
            super(call);
            this.log = log;
        }

        @Override
        public void close(Status status, Metadata trailers) {
            if (status.isOk()) {
                log.answered(status.getCode().name(), null);
            } else {
                log.failed(status.getCode().name(), status.getDescription());
            }
            super.close(status, trailers);
        }
    }
}
