/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Model;
import io.paritas.inference.recommend.LocalSpark;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.NoOpRpcHandler;
import org.apache.spark.network.server.TransportServer;
import org.junit.jupiter.api.Test;

class RemoteLinkTest {
    private static final String HOST = "127.0.0.1";

    /** Answers the first batch with more rows than an array has, and the others with one. */
    private static final class Instance extends NoOpRpcHandler {
        private int rows = Integer.MAX_VALUE;

        @Override
        public void receive(TransportClient client, ByteBuffer message, RpcResponseCallback callback) {
            callback.onSuccess(Wire.answer(rows, Model.direct(rows == 1 ? 1 : 0)));
            rows = 1;
        }
    }

    /** Its batch has failed, and no other. */
    @Test
    void anAnswerForWhichThereIsNoMemoryIsToldAndEndsNoConnection() throws Exception {
        LocalSpark.session();
        try (Transport line = new Transport(new Instance());
                TransportServer server = line.listen(HOST);
                TransportClient client = line.connect(HOST, server.getPort())) {
            RemoteLink link = new RemoteLink(client, "an instance");
            assertThat(link.predict(1, new float[][] {{1}}))
                    .failsWithin(1, TimeUnit.MINUTES)
                    .withThrowableThat()
                    .withCauseInstanceOf(OutOfMemoryError.class);
            assertThat(link.predict(2, new float[][] {{1}}))
                    .succeedsWithin(1, TimeUnit.MINUTES)
                    .isEqualTo(new float[][] {{0}});
        }
    }
}
