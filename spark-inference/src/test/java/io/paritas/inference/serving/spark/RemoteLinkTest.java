/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Model;
import io.paritas.inference.recommend.LocalSpark;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.NoOpRpcHandler;
import org.apache.spark.network.server.TransportServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RemoteLinkTest {
    private static final String HOST = "127.0.0.1";

    /** Answers the first batch with more rows than values, and the others with one row. */
    private static final class Instance extends NoOpRpcHandler {
        private int rows = Integer.MAX_VALUE;

        @Override
        public void receive(TransportClient client, ByteBuffer message, RpcResponseCallback callback) {
            callback.onSuccess(Wire.answer(rows, Model.direct(rows == 1 ? 1 : 0)));
            rows = 1;
        }
    }

    private static float[][] decode(ByteBuffer message) {
        try {
            return Wire.outputs(message);
        } catch (IllegalArgumentException e) {
            throw new OutOfMemoryError("thrown on purpose: Java heap space");
        }
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(
                        (Function<ByteBuffer, float[][]>) Wire::outputs,
                        IllegalArgumentException.class,
                        "an answer must have values for each of its rows, got 0 for 2147483647"),
                Arguments.of(
                        (Function<ByteBuffer, float[][]>) RemoteLinkTest::decode,
                        OutOfMemoryError.class,
                        "thrown on purpose: Java heap space"));
    }

    /** Its batch has failed, and no other. */
    @ParameterizedTest
    @MethodSource("failures")
    void anAnswerThatCannotBeReadIsToldAndEndsNoConnection(
            Function<ByteBuffer, float[][]> decoder, Class<? extends Throwable> failure, String message)
            throws Exception {
        LocalSpark.session();
        try (Transport line = new Transport(new Instance());
                TransportServer server = line.listen(HOST);
                TransportClient client = line.connect(HOST, server.getPort())) {
            RemoteLink link = new RemoteLink(client, "an instance", decoder);
            assertThat(link.predict(1, new float[][] {{1}}))
                    .failsWithin(1, TimeUnit.MINUTES)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(failure)
                    .withMessage(message);
            assertThat(link.predict(2, new float[][] {{1}}))
                    .succeedsWithin(1, TimeUnit.MINUTES)
                    .isEqualTo(new float[][] {{0}});
        }
    }
}
