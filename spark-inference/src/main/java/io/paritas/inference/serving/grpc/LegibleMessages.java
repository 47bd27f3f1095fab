/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import com.google.protobuf.CodedInputStream;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.io.IOException;
import java.io.InputStream;

/**
 * Ends calls whose message cannot be read, or has too many parts, and says why: gRPC itself calls that an error of the application, and
 * logs it as one.
 */
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
                    requireFewParts((InputStream) message, call.getMethodDescriptor());
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

    private static void requireFewParts(InputStream message, MethodDescriptor<?, ?> method) {
        var schema = (ProtoMethodDescriptorSupplier) method.getSchemaDescriptor();
        message.mark(Integer.MAX_VALUE);
        try {
            MessageParts.require(
                    CodedInputStream.newInstance(message),
                    schema.getMethodDescriptor().getInputType());
            message.reset();
        } catch (IOException e) {
            throw Status.INVALID_ARGUMENT.withCause(e).asRuntimeException();
        }
    }

    private static Status refusal(StatusRuntimeException e) {
        // Too long when it was inflated, or of too many parts.
        if (e.getStatus().getCode() == Status.Code.RESOURCE_EXHAUSTED) {
            return e.getStatus();
        }
        String why = e.getCause() == null
                ? e.getStatus().getDescription()
                : e.getCause().getMessage();
        return Status.INVALID_ARGUMENT.withDescription(
                "a message must be one of the Open Inference Protocol, as protobuf writes it: " + why);
    }
}
