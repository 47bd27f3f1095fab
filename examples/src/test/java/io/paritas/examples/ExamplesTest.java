/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.paritas.inference.Bundle;
import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples that need neither a cluster nor Spark; {@code ExampleProgramsIT} runs others. */
class ExamplesTest {
    @Test
    void aStripeIsReconstructed() throws Exception {
        assertThat(printed(() -> ErasureCodeRoundTrip.main(new String[0])))
                .isEqualTo("consistent: true\nreconstructed: true\n");
    }

    @Test
    void bothConfigurationsOfHdfsNameOurCoders() {
        Configuration file = new Configuration();
        file.addResource(new org.apache.hadoop.fs.Path(
                Path.of("src/main/conf/core-site.xml").toAbsolutePath().toUri()));
        for (Configuration configuration : List.of(file, HdfsClient.configuration())) {
            assertThat(CodecUtil.createRawEncoder(configuration, "rs", new ErasureCoderOptions(6, 3))
                            .getClass()
                            .getSimpleName())
                    .startsWith("Paritas");
            assertThat(CodecUtil.createRawEncoder(configuration, "xor", new ErasureCoderOptions(2, 1))
                            .getClass()
                            .getSimpleName())
                    .startsWith("Paritas");
        }
    }

    @Test
    void aPredictionIsReconstructed(@TempDir Path folder) throws Exception {
        Path model = folder.resolve("model.onnx");
        writeLinearModel(model);

        String[] lines = printed(() -> CodedInference.main(new String[] {model.toString(), folder.toString()}))
                .split("\n", -1);

        assertThat(numbers(lines[0])).hasSize(4);
        assertThat(numbers(lines[1])).containsExactly(numbers(lines[0]), org.assertj.core.data.Offset.offset(1e-3));
    }

    /** Linear and without bias, so that it is the parity model for itself. */
    private static void writeLinearModel(Path path) {
        GraphBuilder builder = new GraphBuilder(1, 4, 4);
        Graph empty = builder.output(builder.linear(builder.flatten(builder.input()), 4));
        float[] weights = new float[4 * 16];
        Random random = new Random(1);
        for (int i = 0; i < weights.length; i++) {
            weights[i] = random.nextInt(7) - 3;
        }
        Graph graph = empty.with(List.of(
                empty.weights().get("fc1.weight").with(weights),
                empty.weights().get("fc1.bias").with(new float[4])));
        ModelFile file = graph.toModelFile();
        file.write(path);
        Map<String, String> settings =
                Map.of("k", "2", "r", "1", "encoder", "addition", "decoder", "subtraction", "target", "outputs");
        Bundle.of(BundleKind.PARITY, new DeployedModel(file, graph.input(), graph.output()), Map.of("parity-0", file))
                .withSettings(settings)
                .write(path.getParent());
    }

    private static double[] numbers(String line) {
        String list = line.substring(line.indexOf('[') + 1, line.indexOf(']'));
        return Stream.of(list.split(", ", -1)).mapToDouble(Double::parseDouble).toArray();
    }

    @Test
    void aQueryIsSentInTheModelsShape() throws Exception {
        AtomicReference<String> query = new AtomicReference<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/v2/models/digits",
                exchange -> reply(exchange, "{\"inputs\": [{\"name\": \"image\", \"shape\": [-1, 1, 2]}]}"));
        server.createContext("/v2/models/digits/infer", exchange -> {
            query.set(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.getResponseHeaders().set("Paritas-Outcome", "reconstructed");
            reply(exchange, "{\"outputs\": [{\"data\": [0.25, 0.75]}]}");
        });
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/v2/models/digits";
            assertThat(printed(() -> ServingClient.main(new String[] {url}))).isEqualTo("reconstructed\n[0.25,0.75]\n");
        } finally {
            server.stop(0);
        }
        assertThat(query.get())
                .isEqualTo(
                        "{\"inputs\":[{\"name\":\"image\",\"datatype\":\"FP32\",\"shape\":[1,1,2],\"data\":[0,0]}]}");
    }

    private static void reply(HttpExchange exchange, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Test
    void theReadmeListsEveryExample() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        try (Stream<Path> files = Files.walk(Path.of("src/main"))) {
            List<Path> examples = files.filter(Files::isRegularFile)
                    .filter(file -> Stream.of("assembly", "java/io/paritas/cli", "resources")
                            .noneMatch(other -> file.startsWith(Path.of("src/main", other))))
                    .filter(file -> !file.endsWith("package-info.java"))
                    .toList();
            assertThat(examples).hasSizeGreaterThan(9).allSatisfy(file -> assertThat(readme)
                    .contains("](" + file + ")"));
        }
    }

    @FunctionalInterface
    private interface Program {
        void run() throws Exception;
    }

    private static String printed(Program program) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            program.run();
        } finally {
            System.setOut(before);
        }
        return bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }
}
