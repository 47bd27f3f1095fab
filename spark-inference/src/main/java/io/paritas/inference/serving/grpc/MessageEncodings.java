/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import io.grpc.Codec;
import io.grpc.Decompressor;
import io.grpc.DecompressorRegistry;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.paritas.inference.GzipStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * How messages may be compressed. gRPC itself refuses other encodings without the header that says which are accepted, as its
 * specification of compression demands, and fails without a word at messages that are no gzip.
 */
final class MessageEncodings {
    private static final Metadata.Key<String> ENCODING =
            Metadata.Key.of("grpc-encoding", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> ACCEPTED =
            Metadata.Key.of("grpc-accept-encoding", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> REFUSED =
            Metadata.Key.of("paritas-refused-encoding", Metadata.ASCII_STRING_MARSHALLER);

    private static final DecompressorRegistry KNOWN =
            DecompressorRegistry.emptyInstance().with(new Gzip(), true).with(Codec.Identity.NONE, true);
    private static final String NAMES = "gzip,identity";

    private MessageEncodings() {}

    /** Lets a server take these encodings only. */
    static void set(NettyServerBuilder builder) {
        builder.decompressorRegistry(KNOWN)
                .addStreamTracerFactory(new BeforeGrpc())
                .intercept(new Refusal());
    }

    /** Sees a call's headers before gRPC does, and hides an encoding from it that it would refuse. */
    private static final class BeforeGrpc extends ServerStreamTracer.Factory {
        @Override
        public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
            headers.removeAll(REFUSED);
            String encoding = headers.get(ENCODING);
            if (encoding != null && KNOWN.lookupDecompressor(encoding) == null) {
                headers.removeAll(ENCODING);
                headers.put(REFUSED, encoding);
            }
            return new ServerStreamTracer() {};
        }
    }

    private static final class Refusal implements ServerInterceptor {
        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            String refused = headers.get(REFUSED);
            if (refused == null) {
                return next.startCall(call, headers);
            }
            Metadata answer = new Metadata();
            answer.put(ACCEPTED, NAMES);
            call.close(
                    Status.UNIMPLEMENTED.withDescription(
                            "grpc-encoding must be one of " + NAMES + ", got '" + refused + "'"),
                    answer);
            return new ServerCall.Listener<>() {};
        }
    }

    private static final class Gzip implements Decompressor {
        @Override
        public String getMessageEncoding() {
            return "gzip";
        }

        @Override
        public InputStream decompress(InputStream message) {
            return new Inflated(message);
        }
    }

    /** Begins to inflate when it is read, where an error is one of the message. */
    private static final class Inflated extends InputStream {
        private final InputStream message;
        private InputStream inflated;

        Inflated(InputStream message) {
            this.message = message;
        }

        @Override
        public int read() throws IOException {
            return inflated().read();
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            return inflated().read(into, offset, length);
        }

        private InputStream inflated() throws IOException {
            if (inflated == null) {
                inflated = new GzipStream(message);
            }
            return inflated;
        }

        @Override
        public void close() throws IOException {
            if (inflated == null) {
                message.close();
            } else {
                inflated.close();
            }
        }
    }
}
