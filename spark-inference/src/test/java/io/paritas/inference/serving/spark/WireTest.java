/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.Model;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Role;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes as they are documented, because the two sides may be built at different times. */
class WireTest {
    private static final TensorSpec TWO = new TensorSpec("x", List.of(2));

    @Test
    void aBatchIsTheseBytes() {
        ByteBuffer message = Wire.predict(0x0102, new float[][] {{1, 2}, {-1, 0.5f}}, "");

        assertThat(hex(message))
                .isEqualTo("01010000" + "02000000" + "0201000000000000" + "0000803f" + "00000040" + "000080bf"
                        + "0000003f");
        assertThat(Wire.kind(message)).isEqualTo(Wire.PREDICT);
        assertThat(Wire.batch(message)).isEqualTo(0x0102);
        assertThat(Wire.rows(message, TWO)).isEqualTo(2);
        FloatBuffer inputs = Model.direct(4);
        Wire.inputs(message, inputs);
        float[] values = new float[4];
        inputs.flip().get(values);
        assertThat(values).containsExactly(1, 2, -1, 0.5f);
    }

    @Test
    void aTracedBatchNamesItsTraceAtTheEnd() {
        String traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

        ByteBuffer message = Wire.predict(3, new float[][] {{1, 2}}, traceparent);

        assertThat(hex(message))
                .startsWith("01013700" + "01000000" + "0300000000000000" + "0000803f" + "00000040" + "30302d30");
        assertThat(Wire.rows(message, TWO)).isEqualTo(1);
        assertThat(Wire.traceparent(message)).isEqualTo(traceparent);
        FloatBuffer inputs = Model.direct(2);
        Wire.inputs(message, inputs);
        assertThat(inputs.position()).isEqualTo(2);
        message.putShort(2, (short) 99);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Wire.rows(message, TWO))
                .withMessage("a batch must have 0 to 63 bytes that say of which trace it is a part, got 99");
    }

    @Test
    void anAnswerIsTheseBytes() {
        FloatBuffer outputs = Model.direct(4).put(new float[] {1, 2, 3, 4}).flip();

        ByteBuffer message = Wire.answer(2, outputs);

        assertThat(hex(message)).isEqualTo("01010000" + "02000000" + "0000803f" + "00000040" + "00004040" + "00008040");
        assertThat(Wire.outputs(message)).isDeepEqualTo(new float[][] {{1, 2}, {3, 4}});
    }

    @Test
    void aCancellationIsTheseBytes() {
        ByteBuffer message = Wire.cancel(7);

        assertThat(hex(message)).isEqualTo("01020000" + "00000000" + "0700000000000000");
        assertThat(Wire.kind(message)).isEqualTo(Wire.CANCEL);
        assertThat(Wire.batch(message)).isEqualTo(7);
    }

    @Test
    void aRegistrationComesBackAsItWas() {
        Wire.Registration registration =
                new Wire.Registration("digits", "2", "digits-2-parity-1-0", Role.parity(1), "3", "10.0.0.7", 40_123);

        assertThat(Wire.registration(Wire.register(registration))).isEqualTo(registration);
        assertThat(registration.instance(5))
                .isEqualTo(new Instance("digits-2-parity-1-0", 5, Role.parity(1), "executor 3 on 10.0.0.7"));
    }

    @Test
    void aListComesBackAsItWas() {
        Wire.Registration first = new Wire.Registration("m", "1", "a", Role.DEPLOYED, "3", "10.0.0.7", 1);
        Wire.Registration second = new Wire.Registration("m", "1", "b", Role.parity(0), "4", "10.0.0.8", 2);
        Map<Instance, Wire.Registration> instances = Map.of(first.instance(7), first, second.instance(8), second);

        assertThat(Wire.listed(Wire.listed(instances))).isEqualTo(instances);
        assertThat(Wire.listed(Wire.listed(Map.of()))).isEmpty();
        assertThat(Wire.model(Wire.list("m", "1"))).isEqualTo(Map.entry("m", "1"));
    }

    @Test
    void otherBytesAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Wire.kind(ByteBuffer.wrap(new byte[] {2, 1})))
                .withMessage("messages must have the layout 1, got 2: the driver and all executors must have the same"
                        + " version of Paritas");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Wire.kind(ByteBuffer.allocate(0)))
                .withMessageContaining("got no bytes");
        ByteBuffer batch = Wire.predict(1, new float[][] {{1, 2, 3}}, "");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Wire.rows(batch, TWO))
                .withMessage("a batch of 1 rows of x (2) must have 8 bytes, got 12");
        ByteBuffer answer = Wire.answer(Integer.MAX_VALUE, Model.direct(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Wire.outputs(answer))
                .withMessage("an answer must have values for each of its rows, got 0 for 2147483647");
    }

    /** Their texts are told to the other side, and logged. */
    @Test
    void whatIsCutIsRefusedWithAText() {
        Wire.Registration at = new Wire.Registration("m", "1", "i", Role.DEPLOYED, "3", "10.0.0.7", 1);
        refusesParts(Wire.register(at), Wire::registration);
        refusesParts(Wire.listed(Map.of(at.instance(1), at)), Wire::listed);
        refusesParts(Wire.list("m", "1"), Wire::model);
        refusesParts(Wire.cancel(7), Wire::batch);
        refusesParts(Wire.predict(1, new float[][] {{1, 2}}, "").limit(16), part -> Wire.rows(part, TWO));
        refusesParts(Wire.answer(1, Model.direct(1)).limit(8), Wire::outputs);

        ByteBuffer cancellation = ByteBuffer.wrap(new byte[] {1, Wire.CANCEL, 0});
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Wire.batch(cancellation))
                .withMessage("a message must be whole, got one of 3 bytes that lacks some");
    }

    private static void refusesParts(ByteBuffer message, Consumer<ByteBuffer> reader) {
        for (int length = 2; length < message.remaining(); length++) {
            ByteBuffer part = message.duplicate().limit(length).slice();
            Wire.kind(part);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> reader.accept(part))
                    .withMessage("a message must be whole, got one of " + length + " bytes that lacks some");
        }
    }

    private static List<Wire.Registration> with(String text) {
        return List.of(
                new Wire.Registration(text, "1", "i", Role.DEPLOYED, "3", "10.0.0.7", 1),
                new Wire.Registration("m", "1", text, Role.DEPLOYED, "3", "10.0.0.7", 1),
                new Wire.Registration("m", "1", "i", Role.DEPLOYED, "3", text, 1));
    }

    /** They go into logs, and from there to terminals. */
    @ParameterizedTest
    @ValueSource(bytes = {'\n', 0x1b, 0x7f, (byte) 0xf4})
    void textsWithOtherThanPrintableCharactersAreRefused(byte letter) {
        for (Wire.Registration registration : with("h#st")) {
            ByteBuffer message = Wire.register(registration);
            for (int at = 0; at < message.limit(); at++) {
                message.put(at, message.get(at) == '#' ? letter : message.get(at));
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Wire.registration(message))
                    .withMessage("a text must have printable characters of ASCII only, got another one");
        }
    }

    /** The other side would read another text, as the name of a host that nobody has. */
    @ParameterizedTest
    @ValueSource(strings = {"h\u00f4st", "a\nb"})
    void textsWithOtherThanPrintableCharactersAreNotSent(String text) {
        for (Wire.Registration registration : with(text)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Wire.register(registration))
                    .withMessage("a text must have printable characters of ASCII only, got '" + text
                            + "': name it otherwise");
        }
    }

    private static String hex(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.duplicate().get(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
