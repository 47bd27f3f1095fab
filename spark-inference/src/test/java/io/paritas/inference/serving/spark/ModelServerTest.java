/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Device;
import io.paritas.inference.DirectBuffers;
import io.paritas.inference.Model;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.trace.Traces;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.apache.spark.launcher.JavaModuleOptions;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.NoOpRpcHandler;
import org.apache.spark.network.server.TransportServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import scala.Option;

class ModelServerTest {
    /** A row of 4 MiB. */
    private static final int VALUES = 1 << 20;

    /** Answers 1. */
    private static final class Wide implements Model {
        @Override
        public TensorSpec input() {
            return new TensorSpec("input", List.of(VALUES));
        }

        @Override
        public TensorSpec output() {
            return new TensorSpec("output", List.of(1));
        }

        @Override
        public Device device() {
            return Device.CPU;
        }

        @Override
        public void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
            for (int row = 0; row < rows; row++) {
                outputs.put(1);
            }
        }

        @Override
        public void close() {}
    }

    /** The program that runs where there are 24 MiB beside the heap: it asks for a large batch, and for a small one behind it. */
    static final class Main {
        public static void main(String[] arguments) throws Exception {
            SparkConf conf = new SparkConf(false).set("spark.app.id", "test");
            SecurityManager security = new SecurityManager(conf, Option.empty(), package$.MODULE$.AUTH_SECRET_FILE());
            ModelServer instance = new ModelServer(new Wide(), "wide", "wide-0", Traces.OFF);
            try (Transport server = new Transport(conf, security, instance);
                    Transport front = new Transport(conf, security, new NoOpRpcHandler());
                    TransportServer listening = server.listen("127.0.0.1");
                    TransportClient client = front.connect("127.0.0.1", listening.getPort())) {
                RemoteLink link = new RemoteLink(client, "instance wide-0");
                CompletableFuture<float[][]> large = link.predict(1, new float[8][VALUES], "");
                CompletableFuture<float[][]> small = link.predict(2, new float[1][VALUES], "");
                System.out.println("large: " + result(large));
                System.out.println("small: " + result(small));
                System.out.println("connected: " + client.isActive());
            }
            instance.close();
        }

        private static String result(CompletableFuture<float[][]> answer) throws Exception {
            return answer.handle((outputs, failure) -> failure == null ? "answered" : failure.getMessage())
                    .get(1, TimeUnit.MINUTES);
        }
    }

    /** New ones would cost full garbage collections. */
    @Test
    void batchesUseBuffersAgain() {
        ByteBuffer one = Wire.predict(1, new float[1][VALUES], "");
        ByteBuffer next = Wire.predict(2, new float[1][VALUES], "");
        try (ModelServer instance = new ModelServer(new Wide(), "wide", "wide-0", Traces.OFF)) {
            assertThat(DirectBuffers.added(100, () -> {
                        CompletableFuture<ByteBuffer> first = ask(instance, one);
                        CompletableFuture<ByteBuffer> behind = ask(instance, next);
                        assertThat(Wire.outputs(first.join())).isDeepEqualTo(new float[][] {{1}});
                        assertThat(Wire.outputs(behind.join())).isDeepEqualTo(new float[][] {{1}});
                    }))
                    .isLessThan(20);
        }
    }

    private static CompletableFuture<ByteBuffer> ask(ModelServer instance, ByteBuffer message) {
        CompletableFuture<ByteBuffer> answered = new CompletableFuture<>();
        instance.receive(null, message.duplicate(), new RpcResponseCallback() {
            @Override
            public void onSuccess(ByteBuffer answer) {
                answered.complete(answer);
            }

            @Override
            public void onFailure(Throwable failure) {
                answered.completeExceptionally(failure);
            }
        });
        return answered;
    }

    /** The front end would send the works to the next instances, and end these, too. */
    @Test
    @Timeout(150)
    void aBatchForWhichMemoryIsShortFailsAloneAndItsConnectionStays() throws Exception {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        command.addAll(List.of(
                "-XX:MaxDirectMemorySize=24m",
                "-Dio.netty.maxDirectMemory=1000000000", // Netty's is counted by itself
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output)
                .containsPattern(
                        "large: instance wide-0 failed: .*ModelException: there is no room beside the heap, or no"
                                + " thread, for a batch of 8 rows \\(.*direct.*\\): lower spark.paritas.serving.batch, or raise"
                                + " spark.executor.memory")
                .contains("small: answered", "connected: true");
    }
}
