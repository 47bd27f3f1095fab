/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/** Ends calls whose message cannot be read, and says why: gRPC itself calls that an error of the application, and logs it as one. */
final class LegibleMessages implements ServerInterceptor {
    private LegibleMessages() {}

    /** The service, whose messages are read where this can see it. */
    static ServerServiceDefinition of(ServerServiceDefinition service) {
        return ServerInterceptors.intercept(ServerInterceptors.useInputStreamMessages(service), new LegibleMessages());
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
            private boolean refused;

            @Override
            public void onMessage(Q message) {
                if (refused) {
                    return;
                }
                try {
                    super.onMessage(message);
                } catch (StatusRuntimeException e) {
                    refused = true;
                    call.close(refusal(e), new Metadata());
                }
            }

            @Override
            public void onHalfClose() {
                if (!refused) {
                    super.onHalfClose();
                }
            }
        };
    }

    private static Status refusal(StatusRuntimeException e) {
        if (e.getStatus().getCode() == Status.Code.RESOURCE_EXHAUSTED) { // too long when it was inflated
            return e.getStatus();
        }
        String why = e.getCause() == null
                ? e.getStatus().getDescription()
                : e.getCause().getMessage();
        return Status.INVALID_ARGUMENT.withDescription(
                "a message must be one of the Open Inference Protocol, as protobuf writes it: " + why);
    }
}
