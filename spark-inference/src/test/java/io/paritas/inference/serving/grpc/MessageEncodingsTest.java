/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Compressor;
import io.grpc.CompressorRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.paritas.inference.serving.grpc.messages.GRPCInferenceServiceGrpc;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest.InferInputTensor;
import io.paritas.inference.serving.grpc.messages.ModelInferResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that say how they are compressed. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MessageEncodingsTest extends ServedLinear {
    private static final Metadata.Key<String> ACCEPTED =
            Metadata.Key.of("grpc-accept-encoding", Metadata.ASCII_STRING_MARSHALLER);
    private static final ModelInferRequest REQUEST = ModelInferRequest.newBuilder()
            .setModelName("linear")
            .addInputs(InferInputTensor.newBuilder()
                    .setName("input")
                    .setDatatype("FP32")
                    .addAllShape(List.of(1L, 3L)))
            .addRawInputContents(ByteString.copyFrom(new byte[12]))
            .build();

    /** A message as it is sent. */
    @FunctionalInterface
    private interface Encoder {
        byte[] encode(byte[] message) throws IOException;
    }

    private record End(Status status, Metadata trailers) {}

    private static byte[] gzip(byte[] message) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(message);
        }
        return bytes.toByteArray();
    }

    /** Sends the request, which is said to have an encoding. */
    private End ask(String encoding, Encoder encoder) {
        CompressorRegistry registry = CompressorRegistry.newEmptyInstance();
        registry.register(new Compressor() {
            @Override
            public String getMessageEncoding() {
                return encoding;
            }

            @Override
            public OutputStream compress(OutputStream out) {
                return new ByteArrayOutputStream() {
                    @Override
                    public void close() throws IOException {
                        out.write(encoder.encode(toByteArray()));
                        out.close();
                    }
                };
            }
        });
        ManagedChannel client = NettyChannelBuilder.forTarget(server.target())
                .usePlaintext()
                .compressorRegistry(registry)
                .build();
        try {
            ClientCall<ModelInferRequest, ModelInferResponse> call = client.newCall(
                    GRPCInferenceServiceGrpc.getModelInferMethod(), CallOptions.DEFAULT.withCompression(encoding));
            CompletableFuture<End> end = new CompletableFuture<>();
            call.start(
                    new ClientCall.Listener<>() {
                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            end.complete(new End(status, trailers));
                        }
                    },
                    new Metadata());
            call.request(2);
            call.setMessageCompression(true);
            call.sendMessage(REQUEST);
            call.halfClose();
            return end.join();
        } finally {
            client.shutdownNow();
        }
    }

    @Test
    void aCompressedMessageIsUnderstood() {
        assertThat(ask("gzip", MessageEncodingsTest::gzip).status().getCode()).isEqualTo(Status.Code.OK);
    }

    @Test
    void oneThatIsNotCompressedAsItSaysIsRefused() {
        Status status = ask("gzip", message -> message).status();

        assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(status.getDescription())
                .isEqualTo("a message must be one of the Open Inference Protocol, as protobuf writes it:"
                        + " Not in GZIP format");
    }

    @Test
    void anUnknownEncodingIsRefusedWithTheOthers() {
        End end = ask("snappy", message -> message);

        assertThat(end.status.getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
        assertThat(end.status.getDescription()).isEqualTo("grpc-encoding must be one of gzip,identity, got 'snappy'");
        assertThat(end.trailers.get(ACCEPTED)).isEqualTo("gzip,identity");
    }

    /** The JDK's stream calls itself for each of them, and overflows the stack. */
    @Test
    void emptyMembersBeforeAMessageAreSkipped() {
        Encoder encoder = message -> {
            ByteArrayOutputStream members = new ByteArrayOutputStream();
            byte[] nothing = gzip(new byte[0]);
            for (int i = 0; i < 20_000; i++) {
                members.write(nothing);
            }
            members.write(gzip(message));
            return members.toByteArray();
        };

        assertThat(ask("gzip", encoder).status().getCode()).isEqualTo(Status.Code.OK);
    }
}
