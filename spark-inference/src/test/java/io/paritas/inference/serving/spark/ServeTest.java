/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.paritas.inference.serving.grpc.GrpcClient;
import io.paritas.inference.serving.grpc.messages.GRPCInferenceServiceGrpc;
import io.paritas.inference.serving.grpc.messages.ServerReadyRequest;
import io.paritas.inference.serving.trace.Collector;
import io.paritas.inference.spark.ExactModel;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.apache.spark.launcher.JavaModuleOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The driver as a process, with an instance of its own: it does not outlive what it belongs to. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServeTest {
    private static final long END_SECONDS = 60;

    @TempDir
    private Path folder;

    private final List<String> settings = new ArrayList<>();
    private Process driver;
    private URI url;
    private String grpc;

    /** Stops Spark behind the back of {@link Serve} when a line comes in. */
    static final class StoppedSpark {
        public static void main(String[] arguments) throws Exception {
            Thread stop = new Thread(() -> {
                try {
                    if (System.in.read() >= 0) {
                        SparkContext.getOrCreate().stop();
                    }
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            stop.setDaemon(true);
            stop.start();
            Serve.main(arguments);
        }
    }

    private void start(Class<?> program, String... arguments) throws IOException {
        launch(program, "1", arguments);
        awaitLine(Serve.READY);
    }

    private void launch(Class<?> program, String instances, String... arguments) throws IOException {
        Path model = ExactModel.of(3, 2, 1).write(folder);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java, "-Xmx512m"));
        command.addAll(settings);
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        command.addAll(List.of(
                "-Dspark.master=local[1]",
                "-Dspark.app.name=serve",
                "-Dspark.ui.enabled=false",
                "-Dspark.driver.host=localhost",
                "-Dspark.driver.bindAddress=127.0.0.1",
                "-Dspark.local.dir=" + folder,
                "-D" + ServingSettings.MODEL.key() + "=" + model,
                "-D" + ServingSettings.POLICY.key() + "=none",
                "-D" + ServingSettings.INSTANCES.key() + "=" + instances,
                "-D" + ServingSettings.PORT.key() + "=0",
                "-D" + ServingSettings.GRPC_PORT.key() + "=0",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(List.of(arguments));
        driver = new ProcessBuilder(command).redirectError(errors()).start();
    }

    /** Reads what the driver prints, up to a line that starts like this. */
    private void awaitLine(String start) throws IOException {
        BufferedReader out = driver.inputReader(StandardCharsets.UTF_8);
        String line;
        do {
            line = out.readLine();
            assertThat(line).as(Files.readString(errors().toPath())).isNotNull();
            grpc = line.startsWith(Serve.LISTENS_FOR_GRPC) ? line.substring(Serve.LISTENS_FOR_GRPC.length()) : grpc;
            url = line.startsWith(Serve.LISTENS) ? URI.create(line.substring(Serve.LISTENS.length())) : url;
        } while (!line.startsWith(start));
    }

    private File errors() {
        return folder.resolve("driver.log").toFile();
    }

    @AfterEach
    void end() {
        if (driver != null) {
            driver.destroyForcibly().onExit().join();
        }
    }

    private void assertEnded() throws Exception {
        assertThat(driver.waitFor(END_SECONDS, TimeUnit.SECONDS))
                .as("the driver ends")
                .isTrue();
        assertThat(driver.exitValue()).isEqualTo(1);
        assertThatExceptionOfType(ConnectException.class)
                .isThrownBy(() -> new Socket(url.getHost(), url.getPort()).close());
    }

    private void assertReadyOverGrpc() {
        ManagedChannel channel =
                NettyChannelBuilder.forTarget(grpc).usePlaintext().build();
        try {
            assertThat(GRPCInferenceServiceGrpc.newBlockingStub(channel)
                            .serverReady(ServerReadyRequest.getDefaultInstance())
                            .getReady())
                    .isTrue();
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void itEndsWithTheProgramThatHoldsItsInput() throws Exception {
        start(Serve.class, Serve.UNTIL_END_OF_INPUT);
        assertReadyOverGrpc();

        driver.getOutputStream().close();

        assertEnded();
    }

    /** The instance sends its own span, of the trace that came with the request. */
    @Test
    void theInstanceGoesOnWithTheTraceOfARequest() throws Exception {
        String trace = "0af7651916cd43dd8448eb211c80319c";
        try (Collector collector = new Collector();
                GrpcClient ready = traced(collector, trace)) {
            assertThat(ready.infer("model", "input", new float[] {1, 2, 3})).hasSize(2);

            byte[] spans = collector.await("predict").getBytes(StandardCharsets.ISO_8859_1);
            assertThat(HexFormat.of().formatHex(spans)).contains(trace);
        }
    }

    private GrpcClient traced(Collector collector, String trace) throws IOException {
        settings.add("-D" + ServingSettings.TRACES.key() + "=" + collector.endpoint());
        start(Serve.class);
        return new GrpcClient(grpc, Map.of("traceparent", "00-" + trace + "-b7ad6b7169203331-01"));
    }

    @Test
    void itEndsWithSparkAndSaysSo() throws Exception {
        start(StoppedSpark.class);

        driver.getOutputStream().write('\n');
        driver.getOutputStream().flush();

        assertEnded();
        assertThat(Files.readString(errors().toPath()))
                .contains("IllegalStateException: Spark has ended, and serving with it: see the driver's log");
    }

    /** There is a slot for one of the two instances only, as where a pod is removed while it starts. */
    @Test
    void aSignalEndsItQuietlyWhileItWaitsForInstances() throws Exception {
        launch(Serve.class, "2");
        awaitLine(Serve.LISTENS_FOR_GRPC);
        awaitModel();

        driver.destroy();

        assertThat(driver.waitFor()).as("as of SIGTERM").isEqualTo(143);
        assertThat(Files.readString(errors().toPath())).doesNotContain("Exception in thread \"main\"");
    }

    private void awaitModel() throws Exception {
        HttpRequest ready =
                HttpRequest.newBuilder(url.resolve("/v2/models/model/ready")).build();
        HttpClient client = HttpClient.newHttpClient();
        while (client.send(ready, BodyHandlers.discarding()).statusCode() != 200) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    @Test
    void otherArgumentsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Serve.main(new String[] {"model.onnx"}))
                .withMessage("the arguments must be none or --until-end-of-input, got [model.onnx]");
    }
}
