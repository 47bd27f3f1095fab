/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.grpc.messages.GRPCInferenceServiceGrpc;
import io.paritas.inference.serving.grpc.messages.InferTensorContents;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest.InferInputTensor;
import io.paritas.inference.serving.grpc.messages.ModelInferResponse;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that a client of generated stubs does not send. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LegibleMessagesTest extends ServedLinear {
    private static final byte[] GARBAGE = {(byte) 0xff, 1};
    private static final ModelInferRequest GOOD = request(ByteString.copyFrom(new byte[12]));

    private static ModelInferRequest request(ByteString values) {
        return ModelInferRequest.newBuilder()
                .setModelName("linear")
                .addInputs(InferInputTensor.newBuilder()
                        .setName("input")
                        .setDatatype("FP32")
                        .addAllShape(List.of(1L, 3L)))
                .addRawInputContents(values)
                .build();
    }

    /** A method whose requests are any bytes. */
    private static <R> MethodDescriptor<byte[], R> bytes(MethodDescriptor<ModelInferRequest, R> method) {
        return method.toBuilder(
                        new MethodDescriptor.Marshaller<byte[]>() {
                            @Override
                            public InputStream stream(byte[] bytes) {
                                return new ByteArrayInputStream(bytes);
                            }

                            @Override
                            public byte[] parse(InputStream stream) {
                                throw new UnsupportedOperationException("a client writes requests");
                            }
                        },
                        method.getResponseMarshaller())
                .build();
    }

    private ModelInferResponse ask(byte[] message) {
        return ClientCalls.blockingUnaryCall(
                channel, bytes(GRPCInferenceServiceGrpc.getModelInferMethod()), CallOptions.DEFAULT, message);
    }

    private void assertStillAnswers() {
        assertThat(ask(GOOD.toByteArray()).getOutputs(0).getShapeList()).containsExactly(1L, 2L);
    }

    @Test
    void whatIsNoMessageIsRefused() {
        assertThatThrownBy(() -> ask(GARBAGE))
                .hasMessage("INVALID_ARGUMENT: a message must be one of the Open Inference Protocol, as protobuf writes"
                        + " it: Protocol message tag had invalid wire type.");
        assertStillAnswers();
    }

    @Test
    void aStreamEndsWithItAndItsQueriesAreWithdrawn() {
        instances.freeze(Role.DEPLOYED, 0);
        instances.freeze(Role.DEPLOYED, 1);
        instances.freeze(Role.parity(0), 0);
        ClientCall<byte[], ?> call =
                channel.newCall(bytes(GRPCInferenceServiceGrpc.getModelStreamInferMethod()), CallOptions.DEFAULT);
        CompletableFuture<Status> end = new CompletableFuture<>();
        start(call, end);
        call.sendMessage(GOOD.toByteArray());
        while (unanswered() == 0) {
            Thread.onSpinWait();
        }

        call.sendMessage(GARBAGE);

        assertThat(end.join().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        while (unanswered() > 0) {
            Thread.onSpinWait();
        }
    }

    /** Each takes two bytes, or some more, and would become an object of fifty. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "3200 an output",
                "2a00 an input",
                "2a022200 an input with a parameter",
                "2a042a024200 an input with one of its contents that are texts",
                "2a042a023000 an input with a number of another form than its field has",
                "7801 a field that is not known",
                "7b7c a group",
            })
    void messagesOfTooManyPartsAreRefused(String part) {
        byte[] one = HexFormat.of().parseHex(part.substring(0, part.indexOf(' ')));
        byte[] many = GOOD.toByteString()
                .concat(ByteString.copyFrom(
                        new String(one, StandardCharsets.ISO_8859_1).repeat(10_000), StandardCharsets.ISO_8859_1))
                .toByteArray();

        assertThatThrownBy(() -> ask(many))
                .hasMessage("RESOURCE_EXHAUSTED: a message must have at most 10000 fields beside numbers, got more");
        assertStillAnswers();
    }

    /** As a client may write them that does not pack numbers. */
    @Test
    void numbersAreNoParts() {
        InferTensorContents.Builder contents = InferTensorContents.newBuilder();
        for (int i = 0; i < 30_000; i++) {
            contents.addFp32Contents(i);
        }
        ModelInferRequest.Builder request = GOOD.toBuilder().clearRawInputContents();
        request.getInputsBuilder(0).setContents(contents).clearShape().addShape(10_000);

        assertThatThrownBy(() -> ask(request.build().toByteArray()))
                .hasMessage("INVALID_ARGUMENT: the input 'input' must have the shape [rows, 3] with at least 1 row, got"
                        + " [10000]");
        ByteString unpacked = ByteString.fromHex("3500000000".repeat(30_000));
        request.getInputsBuilder(0)
                .clearContents()
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                5,
                                UnknownFieldSet.Field.newBuilder()
                                        .addLengthDelimited(unpacked)
                                        .build())
                        .build());
        assertThatThrownBy(() -> ask(request.build().toByteArray()))
                .hasMessage("INVALID_ARGUMENT: the input 'input' must have the shape [rows, 3] with at least 1 row, got"
                        + " [10000]");
    }

    private static <R> void start(ClientCall<byte[], R> call, CompletableFuture<Status> end) {
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        end.complete(status);
                    }
                },
                new Metadata());
        call.request(1);
    }

    private int unanswered() {
        return frontEnd.status("linear", "").backlog().unanswered();
    }

    @Test
    void messagesWithSomeBytesChangedAreAnsweredOrRefused() {
        Random random = new Random(1);
        for (int i = 0; i < 500; i++) {
            byte[] message = changed(GOOD.toByteArray(), random);
            Status.Code code = Status.Code.OK;
            try {
                ask(message);
            } catch (StatusRuntimeException e) {
                code = e.getStatus().getCode();
            }
            assertThat(code)
                    .as(() -> Arrays.toString(message))
                    .isIn(Status.Code.OK, Status.Code.INVALID_ARGUMENT, Status.Code.NOT_FOUND);
        }
        assertStillAnswers();
    }

    private static byte[] changed(byte[] message, Random random) {
        byte[] changed = random.nextInt(4) > 0 ? message : Arrays.copyOf(message, 1 + random.nextInt(message.length));
        for (int i = random.nextInt(3); i >= 0; i--) {
            changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
        }
        return changed;
    }
}
