/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.Target;
import io.paritas.inference.serving.Code;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.Link;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.ServedModel;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Valid requests whose predictions are not finite, and so have no finite reconstruction, through all of a server. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NonFiniteTest {
    private static final List<Integer> SHAPE = List.of(1, 28, 28);
    private static final int ROWS = 16;
    private static final int CLASSES = 10;
    private static final String LARGE = "3e38";
    private static final long SLOW_MILLIS = 50;

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final FrontEnd frontEnd = new FrontEnd();
    private final HttpClient client = HttpClient.newHttpClient();
    private Model model;
    private HttpServer server;

    /** A group is decodable before the slow instance has answered its member. */
    @BeforeEach
    void serve() {
        model = ModelEngines.load(
                Initialisation.PYTORCH.apply(Networks.mlp(SHAPE, CLASSES), 1).toModelFile(), ModelOptions.DEFAULT);
        ParityPlan plan = new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS);
        frontEnd.add(new ServedModel(
                "digits",
                "1",
                model.input(),
                model.output(),
                new Policy.Coded(new Code(plan, 1, SHAPE), Duration.ofMillis(5), 0),
                Limits.DEFAULT.withDeadline(Duration.ofSeconds(30))));
        join(Role.DEPLOYED, 0, CompletableFuture.delayedExecutor(SLOW_MILLIS, TimeUnit.MILLISECONDS, thread));
        join(Role.DEPLOYED, 1, thread);
        join(Role.parity(0), 0, thread);
        server = new HttpServer(frontEnd, HttpOptions.DEFAULT);
    }

    private void join(Role role, int number, Executor executor) {
        String id = role + "/" + number;
        frontEnd.join("digits", "1", new Instance(id, 0, role, id), new Link() {
            @Override
            public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
                return CompletableFuture.supplyAsync(
                        () -> Arrays.stream(inputs).map(model::predict).toArray(float[][]::new), executor);
            }

            @Override
            public void cancel(long batch) {}
        });
    }

    @AfterEach
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a lane that hangs holds its lock
    void end() {
        server.close();
        frontEnd.close();
        thread.shutdownNow();
        model.close();
    }

    private HttpResponse<byte[]> infer(String value, String parameters) throws Exception {
        String data = String.join(",", Collections.nCopies(ROWS * 28 * 28, value));
        String body = "{" + parameters + "\"inputs\":[{\"name\":\""
                + model.input().name() + "\",\"datatype\":\"FP32\",\"shape\":[16,1,28,28],\"data\":[" + data + "]}]}";
        return client.send(
                HttpRequest.newBuilder(URI.create(server.url() + "/v2/models/digits/infer"))
                        .timeout(Duration.ofSeconds(20))
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofByteArray());
    }

    @Test
    void bytesHoldPredictionsThatAreNotFinite() throws Exception {
        HttpResponse<byte[]> response = infer(LARGE, "\"parameters\":{\"binary_data_output\":true},");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Paritas-Outcome")).contains("predicted");
        int length = Integer.parseInt(
                response.headers().firstValue("Inference-Header-Content-Length").orElseThrow());
        float[] expected = new float[28 * 28];
        Arrays.fill(expected, Float.parseFloat(LARGE));
        float[] prediction = model.predict(expected);
        assertThat(isFinite(prediction)).isFalse();
        for (int row = 0; row < ROWS; row++) {
            float[] values = new float[CLASSES];
            ByteBuffer.wrap(response.body(), length + row * CLASSES * Float.BYTES, CLASSES * Float.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asFloatBuffer()
                    .get(values);
            assertThat(values).as("row %s", row).isEqualTo(prediction);
        }
        assertAnswersStill();
    }

    @Test
    void jsonDoesNot() throws Exception {
        HttpResponse<byte[]> response = infer(LARGE, "");

        assertThat(response.statusCode()).isEqualTo(406);
        assertThat(new ObjectMapper().readTree(response.body()).get("error").asText())
                .isEqualTo("JSON numbers must be finite, row 0 of the output '"
                        + model.output().name()
                        + "' is not: ask for bytes with the parameter binary_data_output");
        assertAnswersStill();
    }

    private void assertAnswersStill() throws Exception {
        HttpResponse<byte[]> next = infer("1", "");
        assertThat(next.statusCode()).isEqualTo(200);
        assertThat(frontEnd.status("digits", "").backlog().unanswered()).isZero();
    }

    private static boolean isFinite(float[] values) {
        for (float value : values) {
            if (!Float.isFinite(value)) {
                return false;
            }
        }
        return true;
    }
}
