/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.Link;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;

/**
 * A link to an instance in an executor.
 *
 * @param decoder reads the rows of an answer
 */
record RemoteLink(TransportClient client, String where, Function<ByteBuffer, float[][]> decoder) implements Link {

    RemoteLink(TransportClient client, String where) {
        this(client, where, Wire::outputs);
    }

    @Override
    public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
        return predict(batch, inputs, "");
    }

    @Override
    public CompletableFuture<float[][]> predict(long batch, float[][] inputs, String traceparent) {
        CompletableFuture<float[][]> answer = new CompletableFuture<>();
        client.sendRpc(Wire.predict(batch, inputs, traceparent), new RpcResponseCallback() {
            @Override
            public void onSuccess(ByteBuffer message) {
                try {
                    answer.complete(decoder.apply(message));
                } catch (RuntimeException | Error e) { // it would end the connection, and with it all batches of others
                    answer.completeExceptionally(e);
                }
            }

            @Override
            public void onFailure(Throwable failure) {
                answer.completeExceptionally(
                        new IllegalStateException(where + " failed: " + firstLine(failure.getMessage()), failure));
            }
        });
        return answer;
    }

    /* Spark sends the stack trace of the other side as the message. */
    static String firstLine(String message) {
        return message == null
                ? "without a reason"
                : message.lines().findFirst().orElse("");
    }

    @Override
    public void cancel(long batch) {
        client.send(Wire.cancel(batch));
    }
}
