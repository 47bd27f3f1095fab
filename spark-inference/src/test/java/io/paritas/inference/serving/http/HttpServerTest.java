/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.paritas.inference.Logged;
import io.paritas.inference.Outcome;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.FreePort;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.Link;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.UnknownModelException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of the Open Inference Protocol, well-behaved and others, with sockets. */
class HttpServerTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String INFER = "/v2/models/linear/infer";
    private static final Limits PATIENT = Limits.DEFAULT.withDeadline(Duration.ofMinutes(1));

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final FrontEnd frontEnd = new FrontEnd();
    private final LocalInstances instances = new LocalInstances(frontEnd, thread);
    private final HttpClient client = HttpClient.newHttpClient();
    private HttpServer server;

    private void start(HttpOptions options) {
        server = new HttpServer(frontEnd, options);
    }

    private void start() {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT);
    }

    @AfterEach
    void end() {
        if (server != null) {
            server.close();
        }
        frontEnd.close();
        thread.shutdownNow();
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create(server.url() + path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> infer(String body) throws Exception {
        return send(to(INFER).POST(BodyPublishers.ofString(body)));
    }

    private static String request(String data) {
        return "{\"id\":\"q7\",\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[2,3],\"data\":" + data
                + "}]}";
    }

    @Test
    void answersJsonWithJson() throws Exception {
        start();

        HttpResponse<String> response = infer(request("[[1,2,3],[4,5,6]]"));

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(response.headers().firstValue("Paritas-Outcome")).contains("predicted");
        JsonNode reply = JSON.readTree(response.body());
        assertThat(reply.get("model_name").asText()).isEqualTo("linear");
        assertThat(reply.get("model_version").asText()).isEqualTo("1");
        assertThat(reply.get("id").asText()).isEqualTo("q7");
        assertThat(reply.at("/parameters/paritas_outcome").asText()).isEqualTo("predicted");
        JsonNode output = reply.at("/outputs/0");
        assertThat(output.get("name").asText()).isEqualTo("output");
        assertThat(output.get("datatype").asText()).isEqualTo("FP32");
        assertThat(output.get("shape").toString()).isEqualTo("[2,2]");
        assertThat(JSON.convertValue(output.get("data"), float[].class)).isEqualTo(expected());
    }

    private static float[] expected() {
        float[] first = LocalInstances.MODEL.predict(new float[] {1, 2, 3});
        float[] second = LocalInstances.MODEL.predict(new float[] {4, 5, 6});
        return new float[] {first[0], first[1], second[0], second[1]};
    }

    @Test
    void takesFlatDataAndAnswersTheOutcomeOfEachRowIfAsked() throws Exception {
        start();

        HttpResponse<String> response = infer(request("[1,2,3,4,5,6]").replaceFirst("^\\{", """
            {"outputs":[{"name":"paritas_outcome"},{"name":"output"}],\
            """));

        JsonNode outputs = JSON.readTree(response.body()).get("outputs");
        assertThat(outputs.at("/0/data").toString()).isEqualTo("[\"predicted\",\"predicted\"]");
        assertThat(JSON.convertValue(outputs.at("/1/data"), float[].class)).isEqualTo(expected());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"UINT8 | [1,0,1]", "INT64 | [1,0,1]", "BOOL | [true,false,true]", "FP64 | [1.0,0,1]"})
    void takesOtherDatatypesWhoseValuesFp32Has(String datatype, String data) throws Exception {
        start();

        HttpResponse<String> response = infer("{\"inputs\":[{\"name\":\"input\",\"datatype\":\"" + datatype
                + "\",\"shape\":[1,3],\"data\":" + data + "}]}");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(JSON.convertValue(JSON.readTree(response.body()).at("/outputs/0/data"), float[].class))
                .isEqualTo(LocalInstances.MODEL.predict(new float[] {1, 0, 1}));
    }

    @Test
    void answersBytesWithBytes() throws Exception {
        start();
        String head = "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[2,3],\"parameters\":{"
                + "\"binary_data_size\":24}}],\"parameters\":{\"binary_data_output\":true}}";
        ByteBuffer body = ByteBuffer.allocate(head.length() + 24).order(ByteOrder.LITTLE_ENDIAN);
        body.put(head.getBytes(StandardCharsets.UTF_8));
        for (int i = 1; i <= 6; i++) {
            body.putFloat(i);
        }

        HttpResponse<byte[]> response = client.send(
                to(INFER)
                        .header("Inference-Header-Content-Length", String.valueOf(head.length()))
                        .POST(BodyPublishers.ofByteArray(body.array()))
                        .build(),
                BodyHandlers.ofByteArray());

        assertThat(response.statusCode()).isEqualTo(200);
        int length = Integer.parseInt(
                response.headers().firstValue("Inference-Header-Content-Length").orElseThrow());
        JsonNode output = JSON.readTree(Arrays.copyOf(response.body(), length)).at("/outputs/0");
        assertThat(output.at("/parameters/binary_data_size").asInt()).isEqualTo(16);
        assertThat(output.has("data")).isFalse();
        float[] values = new float[4];
        ByteBuffer.wrap(response.body(), length, 16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer()
                .get(values);
        assertThat(values).isEqualTo(expected());
    }

    @Test
    void aReconstructedAnswerSaysSoAndEqualsThePredictedOne() throws Exception {
        start();
        instances.freeze(Role.DEPLOYED, 0);

        HttpResponse<String> response = infer(request("[1,2,3,4,5,6]"));

        assertThat(response.headers().firstValue("Paritas-Outcome")).contains("reconstructed");
        assertThat(JSON.convertValue(JSON.readTree(response.body()).at("/outputs/0/data"), float[].class))
                .isEqualTo(expected());
    }

    @Test
    void whatIsUnavailableIsAnError() throws Exception {
        start();
        instances.freeze(Role.DEPLOYED, 0);
        instances.freeze(Role.parity(0), 0);

        HttpResponse<String> response =
                infer(request("[1,2,3,4,5,6]").replaceFirst("^\\{", "{\"parameters\":{\"timeout\":3000000},"));

        assertThat(response.statusCode()).isEqualTo(504);
        assertThat(response.body()).isEqualTo("{\"error\":\"1 of 2 rows are unavailable: no answer within 3000 ms\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "no JSON | the body must be JSON: Unrecognized token 'no'",
                "[] | the body must be a JSON object, got []",
                "{\"inputs\":[NaN]} | the body must be JSON: Non-standard token 'NaN'",
                "{\"inputs\":[]} {} | the body must be one JSON object, got more behind it",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"data\":[1,2,3]}]}"
                        + "| the input 'input' must have the shape [rows, 3] with at least 1 row, got none",
                "{\"inputs\":[]} | 'inputs' must be an array with the one tensor 'input' of the model linear, version"
                        + " 1, got 0",
                "{\"inputs\":7} | 'inputs' must be an array with the one tensor 'input' of the model linear, version"
                        + " 1, got NUMBER",
                "{\"inputs\":[{\"name\":\"x\"}]} | the input of the model linear, version 1 must be 'input', got 'x'",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"BYTES\"}]}"
                        + "| must have a datatype of BOOL, UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64,"
                        + " FP16, BF16, FP32, FP64, whose values become FP32, got 'BYTES'",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"UINT8\",\"shape\":[1,3],\"data\":[1,1.5,3]}]}"
                        + "| the values of 'input' must be whole numbers that UINT8 can hold, got 1.5",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"UINT8\",\"shape\":[1,3],\"data\":[1,256,3]}]}"
                        + "| of the datatype UINT8 must be ones that it has, got 256: send them as a wider datatype, such as FP32",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"BOOL\",\"shape\":[1,3],\"data\":[true,1,false]}]}"
                        + "| the values of 'input' must be true or false, got 1",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP16\",\"shape\":[1,3],\"data\":[1,2,3]}]}"
                        + "| the values of 'input' must be behind the JSON as bytes, because JSON has no FP16, got 1",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP64\",\"shape\":[1,3],\"data\":[0.1,2,3]}]}"
                        + "| of the datatype FP64 must be such that FP32, which models take, has them exactly too, got 0.1",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1,2,3],"
                        + "\"parameters\":{\"shared_memory_region\":\"a\"}}]}"
                        + "| this server shares no memory with clients: leave out the parameter shared_memory_region",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1,2,3]}],"
                        + "\"outputs\":[{\"name\":\"output\",\"parameters\":{\"classification\":0}}]}"
                        + "| the parameter classification must be a number of classes of at least 1, got 0",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[2,4]}]}"
                        + "| must have the shape [rows, 3] with at least 1 row, got [2,4]",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[0,3]}]}"
                        + "| must have the shape [rows, 3] with at least 1 row, got [0,3]",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1.7,3],\"data\":[1,2,3]}]}"
                        + "| must have the shape [rows, 3] with at least 1 row, got [1.7,3]",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3.2],\"data\":[1,2,3]}]}"
                        + "| must have the shape [rows, 3] with at least 1 row, got [1,3.2]",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1,2,3]}],"
                        + "\"parameters\":{\"timeout\":1.7}}"
                        + "| the parameter timeout must be 1 to 3600000000 whole microseconds, got 1.7",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1,2,3]}],"
                        + "\"parameters\":[{\"timeout\":1}]}"
                        + "| 'parameters' must be an object, got [{\"timeout\":1}]",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1,2,3]}],"
                        + "\"outputs\":[{\"name\":\"output\",\"parameters\":\"classification\"}]}"
                        + "| 'parameters' must be an object, got \"classification\"",
                "{\"id\":7,\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1,2,3]}]}"
                        + "| 'id' must be a string, got 7",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1000,3],\"data\":[1]}]}"
                        + "| the input 'input' of 1000 rows must have 3000 values in 'data', got 1",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"BOOL\",\"shape\":[2000000000,3],\"data\":[true]}]}"
                        + "| the queries that are asked of the model linear, version 1 at once must be at most 1000, as many"
                        + " as may wait for an instance, got 2000000000: ask for fewer at once",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"BOOL\",\"shape\":[16777216,3],"
                        + "\"parameters\":{\"binary_data_size\":12}}]}"
                        + "| the queries that are asked of the model linear, version 1 at once must be at most 1000, as many"
                        + " as may wait for an instance, got 16777216: ask for fewer at once",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3]}]}"
                        + "| must have an array 'data', or bytes behind the JSON",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1,\"2\",3]}]}"
                        + "| the values of 'input' must be numbers that FP32 can hold, got \"2\"",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[{\"a\":[null]},2,3]}]}"
                        + "| the values of 'input' must be numbers that FP32 can hold, got {\"a\":[null]}",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"INT64\",\"shape\":[1,3],"
                        + "\"data\":[1,2,9007199254740993]}]}"
                        + "| must be such that FP32, which models take, has them exactly too, got 9007199254740993",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1,1e39,3]}]}"
                        + "| the values of 'input' must be numbers that FP32 can hold, got 1.0E39",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],"
                        + "\"parameters\":{\"binary_data_size\":12}}]}"
                        + "| of 1 rows must have 12 bytes behind the JSON and in binary_data_size, got 0 bytes",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1,2,3]}],"
                        + "\"outputs\":[{\"name\":\"output\"},{\"name\":\"paritas_outcome\"},{\"name\":\"output\"}]}"
                        + "| an output must be named once, got 'output' again",
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1,2,3]}],"
                        + "\"outputs\":{\"a\":{\"name\":\"output\"}}}"
                        + "| 'outputs' must be an array of tensors, got OBJECT",
            })
    void malformedRequestsAreToldWhatIsWrong(String body, String message) throws Exception {
        start();

        HttpResponse<String> response = infer(body);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(JSON.readTree(response.body()).get("error").asText())
                .contains(message)
                .as("advice for clients")
                .doesNotContain("JsonReadFeature");
    }

    /** Each piece takes three bytes, and would become an object of a hundred. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"inputs\":[{\"name\":\"input\",\"data\":[1,# 2]}]} | {},",
                "{\"inputs\":[{\"name\":\"input\",\"data\":[{\"a\":[1,# 2]}]}]} | [],",
                "{\"inputs\":[{\"name\":\"input\",\"shape\":[1,# 2]}]} | 3,",
                "{\"inputs\":[# 2]} | {},",
                "{\"parameters\":{\"a\":[# 2]}} | [],",
                "{\"more\":[# 2]} | [],",
            })
    void aRequestWithTooMuchBesideItsValuesIsRefused(String body, String piece) throws Exception {
        start();

        HttpResponse<String> response = infer(body.replace("#", piece.repeat(10_000)));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body())
                .isEqualTo("{\"error\":\"the JSON must have at most 10000 names, values, and ends of objects and arrays"
                        + " beside the values of its inputs, got more\"}");
    }

    @Test
    void manyValuesInArraysOfTheirOwnAreNotTooMuch() throws Exception {
        start();
        String rows = "[[1],[2],[3]],".repeat(999) + "[[[4]],5,6]";

        HttpResponse<String> response = infer("{\"inputs\":[{\"data\":[" + rows + "],\"shape\":[1000,3],\"datatype\":"
                + "\"INT8\",\"name\":\"input\"}]}");

        JsonNode values = JSON.readTree(response.body()).at("/outputs/0/data");
        assertThat(values).as(response.body()).hasSize(2_000);
        assertThat(JSON.convertValue(values, float[].class))
                .startsWith(LocalInstances.MODEL.predict(new float[] {1, 2, 3}))
                .endsWith(LocalInstances.MODEL.predict(new float[] {4, 5, 6}));
    }

    @Test
    void ofTwoArraysOfValuesTheLastOneCounts() throws Exception {
        start();

        HttpResponse<String> response = infer(request("[{\"data\":[[1]]},[2]],\"data\":[1,2,3,4,5,6]"));

        assertThat(JSON.convertValue(JSON.readTree(response.body()).at("/outputs/0/data"), float[].class))
                .isEqualTo(expected());
    }

    @Test
    void anErrorRepeatsOnlyTheBeginningOfALongRequest() throws Exception {
        start();

        HttpResponse<String> response = infer("{\"inputs\":[{\"name\":\"" + "x".repeat(1_000_000) + "\"}]}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body())
                .startsWith("{\"error\":\"the input of the model linear, version 1 must be 'input', got 'xxx")
                .endsWith("xxx...\"}")
                .hasSizeLessThan(7_000);
    }

    @Test
    void otherThingsThatAreNotThere() throws Exception {
        start();

        assertThat(send(to("/v2/models/other/infer").POST(BodyPublishers.noBody()))
                        .body())
                .isEqualTo("{\"error\":\"there is no model 'other', there are [linear (1)]\"}");
        assertThat(send(to("/v2/models/linear/versions/9/ready")).statusCode()).isEqualTo(404);
        assertThat(send(to("/v1")).statusCode()).isEqualTo(404);
        assertThat(send(to(INFER)).statusCode()).isEqualTo(405);
        assertThat(send(to(INFER)
                                .header("Inference-Header-Content-Length", "99")
                                .POST(BodyPublishers.ofString("{}")))
                        .body())
                .isEqualTo("{\"error\":\"Inference-Header-Content-Length must be 0 to the 2 bytes of the body,"
                        + " got 99\"}");
        assertThat(send(to(INFER).header("Content-Encoding", "br").POST(BodyPublishers.ofString("{}")))
                        .statusCode())
                .isEqualTo(415);
    }

    @Test
    void tellsAboutItselfAndItsModels() throws Exception {
        start();

        assertThat(send(to("/v2")).body())
                .contains("\"extensions\":[\"binary_tensor_data\",\"classification\",\"model_configuration\","
                        + "\"model_repository\",\"statistics\"]");
        assertThat(send(to("/v2/health/live")).statusCode()).isEqualTo(200);
        assertThat(send(to("/v2/health/ready")).body()).isEqualTo("{\"ready\":true}");
        assertThat(send(to("/v2/models/linear/versions/1/ready")).statusCode()).isEqualTo(200);
        assertThat(send(to("/v2/models/linear")).body())
                .isEqualTo("{\"name\":\"linear\",\"versions\":[\"1\"],\"platform\":\"paritas\",\"inputs\":[{\"name\":"
                        + "\"input\",\"datatype\":\"FP32\",\"shape\":[-1,3]}],\"outputs\":[{\"name\":\"output\","
                        + "\"datatype\":\"FP32\",\"shape\":[-1,2]}]}");
    }

    @Test
    void isNotReadyWithoutInstances() throws Exception {
        instances.serve("1", PATIENT, 0);
        start(HttpOptions.DEFAULT);

        assertThat(send(to("/v2/health/ready")).statusCode()).isEqualTo(400);
        assertThat(send(to("/v2/models/linear/ready")).body()).isEqualTo("{\"ready\":false}");
    }

    @Test
    void countsForPrometheus() throws Exception {
        start();
        infer(request("[1,2,3,4,5,6]"));

        assertThat(send(to("/metrics")).body())
                .contains("paritas_serving_instances{model=\"linear\",version=\"1\",role=\"deployed\"} 2\n")
                .contains("paritas_serving_latency_seconds_count{model=\"linear\",version=\"1\",outcome=\"predicted\"}"
                        + " 2\n")
                .contains("paritas_serving_events_total{model=\"linear\",version=\"1\",event=\"groups_full\"} 1\n");
    }

    @Test
    void wantsItsTokenForAllButHealth() throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withToken("s3cret"));

        assertThat(send(to("/v2/health/live")).statusCode()).isEqualTo(200);
        assertThat(send(to("/metrics")).statusCode()).isEqualTo(401);
        assertThat(send(to("/v2").header("Authorization", "Bearer s3cre")).body())
                .isEqualTo("{\"error\":\"requests must have the header Authorization: Bearer TOKEN with the token of"
                        + " this server\"}");
        assertThat(send(to("/v2").header("Authorization", "Bearer s3cret")).statusCode())
                .isEqualTo(200);
    }

    @Test
    void doesNotServeTheNetworkWithoutAToken() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HttpOptions("0.0.0.0", 0, "", Optional.empty(), HttpOptions.Bounds.DEFAULT))
                .withMessage("the address of a server without a token must be loopback, got 0.0.0.0: set a token, or"
                        + " listen on loopback");
    }

    @Test
    void aPortThatIsTakenIsNamed() {
        start();
        int port = URI.create(server.url()).getPort();

        assertThatIllegalStateException()
                .isThrownBy(() -> new HttpServer(frontEnd, HttpOptions.DEFAULT.withPort(port)))
                .withMessageStartingWith("cannot listen on 127.0.0.1:" + port + ": ")
                .withMessageEndingWith(": choose another port, or end the process that has it");
    }

    /** The network of the address is for documentation only: RFC 5737. */
    @Test
    void anAddressOfAnotherMachineIsNamed() {
        assertThatIllegalStateException()
                .isThrownBy(() -> new HttpServer(frontEnd, withToken("203.0.113.1")))
                .withMessageStartingWith("cannot listen on 203.0.113.1:8000: ")
                .withMessageEndingWith(": choose an address of this machine");
    }

    @Test
    void anUnknownHostIsRefusedWithATokenToo() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> withToken("nosuch.host.invalid"))
                .withMessage("the address must be one of this machine, got nosuch.host.invalid");
    }

    private static HttpOptions withToken(String host) {
        return new HttpOptions(host, 8_000, "s3cret", Optional.empty(), HttpOptions.Bounds.DEFAULT);
    }

    @Test
    void bodiesHaveALimit() throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withBodyBytes(100));

        HttpResponse<String> response = infer(request("[1,2,3,4,5,6]" + " ".repeat(1_000)));

        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(response.body())
                .isEqualTo("{\"error\":\"a body must have at most 100 bytes, got more: send fewer rows at once\"}");
    }

    @Test
    void repliesHaveALimitThatIsCheckedBeforeTheWork() throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withReplyBytes(63));

        HttpResponse<String> response = infer(request("[1,2,3,4,5,6]"));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body())
                .isEqualTo("{\"error\":\"the outputs of a reply must have at most 63 bytes, got 2 rows of up to 32:"
                        + " send fewer rows at once, or ask for bytes with the parameter binary_data_output\"}");
        assertThat(frontEnd.status("linear", "")
                        .meter()
                        .latencies(Outcome.PREDICTED)
                        .count())
                .isZero();
        assertThat(infer(request("[1,2,3,4,5,6]").replaceFirst("^\\{", """
            {"parameters":{"binary_data_output":true},\
            """)).statusCode())
                .isEqualTo(200);
    }

    @Test
    void tooManyQueriesAreRejected() throws Exception {
        instances.serve("1", PATIENT.withWaiting(2), 1);
        start(HttpOptions.DEFAULT);
        instances.freeze(Role.DEPLOYED, 0);
        instances.freeze(Role.parity(0), 0);
        var waiting = client.sendAsync(
                to(INFER)
                        .POST(BodyPublishers.ofString(request("[1,2,3,4,5,6]")))
                        .build(),
                BodyHandlers.ofString());
        await(() -> frontEnd.status("linear", "").backlog().unanswered() == 2);

        HttpResponse<String> response = infer(request("[1,2,3,4,5,6]"));

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).contains("1");
        assertThat(response.body()).contains("got 2 more than the 1 that wait");
        assertThat(waiting).isNotDone();
    }

    @Test
    void moreQueriesThanMayEverWaitAreAnError() throws Exception {
        instances.serve("1", PATIENT.withWaiting(1), 1);
        start(HttpOptions.DEFAULT);

        HttpResponse<String> response = infer(request("[1,2,3,4,5,6]"));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("Retry-After")).isEmpty();
        assertThat(response.body())
                .isEqualTo(
                        "{\"error\":\"the queries that are asked of the model linear, version 1 at once must be at most"
                                + " 1, as many as may wait for an instance, got 2: ask for fewer at once\"}");
    }

    @Test
    void aRequestThatComesTooSlowlyIsCutOff() throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withReceive(Duration.ofMillis(200)));
        URI url = URI.create(server.url());

        try (Socket slow = new Socket(url.getHost(), url.getPort())) {
            OutputStream out = slow.getOutputStream();
            CompletableFuture<Void> dripping = CompletableFuture.runAsync(() -> {
                try {
                    for (char letter : ("GET / HTTP/1.1\r\nX: " + "x".repeat(100_000)).toCharArray()) {
                        out.write(letter);
                        Thread.sleep(20);
                    }
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });

            assertThatThrownBy(dripping::join).hasRootCauseInstanceOf(IOException.class);
        }
    }

    private RawConnection inferring(String request) throws IOException {
        return new RawConnection(server)
                .lines(
                        "POST " + INFER + " HTTP/1.1",
                        "Host: localhost",
                        "Content-Length: " + request.length(),
                        "",
                        request);
    }

    private void assertLive(RawConnection connection) throws IOException {
        connection.lines("GET /v2/health/live HTTP/1.1", "Host: localhost", "");
        assertThat(connection.until("{\"live\":true}")).startsWith("HTTP/1.1 200 OK");
    }

    @Test
    void connectionsWithRequestsHaveALimit() throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withConnections(1));
        instances.freeze(Role.DEPLOYED, 0);
        instances.freeze(Role.DEPLOYED, 1);
        try (RawConnection first = inferring(request("[1,2,3,4,5,6]"))) {
            await(() -> frontEnd.status("linear", "").backlog().unanswered() == 2);
            try (RawConnection second = new RawConnection(server)) {
                assertThat(second.answers()).isEmpty();
            }
            assertThat(frontEnd.status("linear", "").backlog().unanswered()).isEqualTo(2);
        }
    }

    /** They need no token, and must not keep others out. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "GET /v2 HTTP/1.1\r\nHost: he",
                "GET /v2/health/live HTTP/1.1\r\nContent-Length: 9\r\n\r\n",
                "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n",
            })
    void connectionsWithoutARequestMakeRoom(String begin) throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withToken("s3cret").withConnections(10));
        List<RawConnection> idle = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            idle.add(new RawConnection(server).text(begin));
        }

        for (int i = 0; i < 3; i++) {
            RawConnection probe = new RawConnection(server);
            assertLive(probe);
            idle.add(probe);
        }

        for (RawConnection probe : idle.subList(10, 13)) {
            assertLive(probe);
        }
        for (RawConnection connection : idle) {
            connection.close();
        }
    }

    @Test
    void whoHasBeenIdleForLongestGoesFirst() throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withConnections(2));
        try (RawConnection first = new RawConnection(server);
                RawConnection second = new RawConnection(server)) {
            assertLive(second);
            Thread.sleep(100); // its answer can be here before the server counts it as idle
            assertLive(first);
            Thread.sleep(100);
            try (RawConnection third = new RawConnection(server)) {
                assertLive(third);
                assertThat(second.answers()).isEmpty();
                assertLive(first);
            }
        }
    }

    @Test
    void aConnectionIsIdleAgainWhenItsRequestIsAnswered() throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withConnections(1));
        try (RawConnection first = inferring(request("[1,2,3,4,5,6]"))) {
            assertThat(first.until("]}]}")).startsWith("HTTP/1.1 200 OK");
            assertLive(first);
            Thread.sleep(100);
            try (RawConnection second = new RawConnection(server)) {
                assertLive(second);
                assertThat(first.answers()).isEmpty();
            }
        }
    }

    @Test
    void whoHasNoTokenIsToldBeforeItsBodyIsRead() throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withToken("s3cret"));
        try (RawConnection client = new RawConnection(server)) {
            client.lines("POST " + INFER + " HTTP/1.1", "Host: localhost", "Content-Length: 10000000", "");

            assertThat(client.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .startsWith("HTTP/1.1 401 ")
                    .containsIgnoringCase("\r\nconnection: close\r\n")
                    .contains("requests must have the header Authorization"));
        }
    }

    /** It would be kept until its time is over, for everybody. */
    @ParameterizedTest
    @CsvSource({
        "/v2/health/live, Content-Length: 16777216",
        "/v2/health/ready, Content-Length: 1",
        "/, Content-Length: 16777216",
        "/page.css, Transfer-Encoding: chunked",
        "/page.js, Content-Length: 16777216"
    })
    void whatNeedsNoTokenTakesNoBody(String path, String framing) throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withToken("s3cret"));
        try (RawConnection client = new RawConnection(server)) {
            client.lines("GET " + path + " HTTP/1.1", "Host: localhost", framing, "");

            assertThat(client.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .startsWith("HTTP/1.1 413 ")
                    .containsIgnoringCase("\r\nconnection: close\r\n")
                    .contains("{\"error\":\"" + path + " takes no body"));
        }
    }

    @Test
    void anEmptyBodyIsNone() throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withToken("s3cret"));
        try (RawConnection client = new RawConnection(server)) {
            client.lines("GET /v2/health/live HTTP/1.1", "Host: localhost", "Content-Length: 0", "");

            assertThat(client.until("{\"live\":true}")).startsWith("HTTP/1.1 200 OK");
        }
    }

    @Test
    void whoSendsNoBodyMayTryAgain() throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withToken("s3cret"));
        try (RawConnection client = new RawConnection(server)) {
            client.lines("GET /v2 HTTP/1.1", "Host: localhost", "");
            assertThat(client.until("\"}")).startsWith("HTTP/1.1 401 ");
            client.lines("GET /v2 HTTP/1.1", "Host: localhost", "Authorization: Bearer s3cret", "");

            assertThat(client.until("]}")).startsWith("HTTP/1.1 200 OK");
        }
    }

    @Test
    void drainsBeforeItEnds() throws Exception {
        start();
        instances.freeze(Role.DEPLOYED, 0);
        instances.freeze(Role.DEPLOYED, 1);
        instances.freeze(Role.parity(0), 0);
        CompletableFuture<HttpResponse<String>> asked = client.sendAsync(
                to(INFER)
                        .POST(BodyPublishers.ofString(
                                request("[1,2,3,4,5,6]").replaceFirst("^\\{", "{\"parameters\":{\"timeout\":400000},")))
                        .build(),
                BodyHandlers.ofString());
        while (frontEnd.status("linear", "").backlog().unanswered() < 2) {
            Thread.onSpinWait();
        }

        assertThat(server.drain(Duration.ofMillis(1))).isFalse();
        assertThat(server.drain(Duration.ofMinutes(1))).isTrue();

        assertThat(asked.join().statusCode()).isEqualTo(504);
    }

    /** A client that keeps its connection would ask a server again and again that takes no more queries. */
    @Test
    void keepsNoConnectionsWhenItDrains() throws Exception {
        start();
        instances.freeze(Role.DEPLOYED, 0);
        instances.freeze(Role.DEPLOYED, 1);
        instances.freeze(Role.parity(0), 0);
        String asked = request("[1,2,3,4,5,6]").replaceFirst("^\\{", "{\"parameters\":{\"timeout\":3000000},");
        try (RawConnection idle = new RawConnection(server);
                RawConnection kept = inferring(asked)) {
            assertLive(idle);
            await(() -> frontEnd.status("linear", "").backlog().unanswered() == 2);

            assertThat(server.drain(Duration.ofMillis(1))).isFalse();

            assertThat(idle.answers()).isEmpty();
            assertThat(kept.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .startsWith("HTTP/1.1 504 ")
                    .containsIgnoringCase("\r\nconnection: close\r\n"));
        }
    }

    /** It may be on its way already, and a client must not repeat what changes something. */
    @Test
    void aRequestThatComesOnAKeptConnectionWhileItDrainsIsAnswered() throws Exception {
        start();
        String asked = request("[1,2,3,4,5,6]");
        Duration patience = Duration.ofMinutes(1);
        CompletableFuture<Boolean> drained;
        try (RawConnection kept = new RawConnection(server)) {
            assertLive(kept);
            drained = CompletableFuture.supplyAsync(() -> drain(patience, patience));
            await(() -> !takesConnections());

            kept.lines("POST " + INFER + " HTTP/1.1", "Host: localhost", "Content-Length: " + asked.length(), "")
                    .text(asked);

            assertThat(kept.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .startsWith("HTTP/1.1 200 ")
                    .containsIgnoringCase("\r\nconnection: close\r\n"));
        }
        assertThat(drained.join()).isTrue();
    }

    /** A balancer that keeps its connections learns it from there, if it may still be sent queries. */
    @Test
    void nothingIsReadyFromTheBeginningOfADrain() throws Exception {
        start();
        CompletableFuture<Boolean> drained;
        try (RawConnection all = new RawConnection(server);
                RawConnection one = new RawConnection(server)) {
            all.lines("GET /v2/health/ready HTTP/1.1", "Host: localhost", "");
            assertThat(all.until("{\"ready\":true}")).startsWith("HTTP/1.1 200 ");
            one.lines("GET /v2/models/linear/ready HTTP/1.1", "Host: localhost", "");
            assertThat(one.until("{\"ready\":true}")).startsWith("HTTP/1.1 200 ");
            drained = CompletableFuture.supplyAsync(() -> drain(Duration.ofMinutes(1), Duration.ofMinutes(1)));
            await(() -> !takesConnections());

            all.lines("GET /v2/health/ready HTTP/1.1", "Host: localhost", "");
            one.lines("GET /v2/models/linear/ready HTTP/1.1", "Host: localhost", "");

            assertThat(all.answers()).singleElement().satisfies(HttpServerTest::isNotReady);
            assertThat(one.answers()).singleElement().satisfies(HttpServerTest::isNotReady);
        }
        assertThat(drained.join()).isTrue();
    }

    private static void isNotReady(String answer) {
        assertThat(answer).startsWith("HTTP/1.1 400 ").endsWith("{\"ready\":false}");
    }

    /** It may take longer than the whole drain, and what it loads ends with the server. */
    @Test
    void aLoadIsNotWaitedForByAServerThatEnds() throws Exception {
        instances.serve("1", PATIENT, 2);
        CompletableFuture<String> begun = new CompletableFuture<>();
        server = new HttpServer(frontEnd, HttpOptions.DEFAULT.withToken("s3cret"), (name, parameters) -> {
            begun.complete(name);
            return new CompletableFuture<>();
        });
        String ending = "{\"error\":\"models are loaded and unloaded until their server ends, and this one ends: ask"
                + " the one in its place\"}";
        CompletableFuture<HttpResponse<String>> load =
                client.sendAsync(load("linear", "{}").build(), BodyHandlers.ofString());
        begun.join();
        CompletableFuture<Boolean> drained;
        try (RawConnection kept = new RawConnection(server)) {
            assertLive(kept);
            drained = CompletableFuture.supplyAsync(() -> drain(Duration.ofMinutes(1), Duration.ofMinutes(1)));
            await(() -> !takesConnections());

            kept.lines(
                    "POST /v2/repository/models/linear/unload HTTP/1.1",
                    "Host: localhost",
                    "Authorization: Bearer s3cret",
                    "");
            assertThat(kept.answers()).singleElement().satisfies(answer -> assertThat(answer)
                    .startsWith("HTTP/1.1 503 ")
                    .endsWith(ending));
        }
        assertThat(load.join().statusCode()).isEqualTo(503);
        assertThat(load.join().body()).isEqualTo(ending);
        assertThat(load.join().headers().firstValue("connection"))
                .as("a server that ends waits for connections that may have another request")
                .contains("close");
        assertThat(drained.join()).isTrue();
    }

    private boolean takesConnections() {
        try {
            new RawConnection(server).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** A reply may be longer than the buffers of a connection, and its client slow. */
    @Test
    void drainsRepliesUntilTheyAreSent() throws Exception {
        int values = 4 << 20;
        serveWide(values);
        start(HttpOptions.DEFAULT);
        String asked = "{\"parameters\":{\"binary_data_output\":true},\"inputs\":"
                + "[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,1],\"data\":[1]}]}";
        try (RawConnection slow = new RawConnection(server)) {
            slow.lines(
                            "POST /v2/models/wide/infer HTTP/1.1",
                            "Host: localhost",
                            "Connection: close",
                            "Content-Length: " + asked.length(),
                            "")
                    .text(asked)
                    .until("\r\n\r\n");

            assertThat(server.drain(Duration.ofMillis(1))).isFalse();
            CompletableFuture<Boolean> drained =
                    CompletableFuture.supplyAsync(() -> drain(Duration.ofSeconds(1), Duration.ofMinutes(1)));
            CompletableFuture<Void> closed = drained.thenRun(server::close);

            assertThat(slow.answers().get(0).length()).isGreaterThan(values * Float.BYTES);
            assertThat(drained.join()).isTrue();
            closed.join();
        }
    }

    private boolean drain(Duration grace, Duration limit) {
        try {
            return server.drain(grace, limit);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void serveWide(int values) {
        frontEnd.add(new ServedModel(
                "wide",
                "1",
                new TensorSpec("input", List.of(1)),
                new TensorSpec("output", List.of(values)),
                new Policy.Uncoded(),
                PATIENT));
        frontEnd.join("wide", "1", new Instance("wide", 0, Role.DEPLOYED, "wide"), new Link() {
            @Override
            public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
                return CompletableFuture.completedFuture(new float[1][values]);
            }

            @Override
            public void cancel(long batch) {}
        });
    }

    @Test
    void aVersionIsReplacedWithoutLosingQueries() throws Exception {
        start();
        instances.serve("2", PATIENT, 2);

        frontEnd.promote("linear", "2");
        frontEnd.retire("linear", "1").join();

        JsonNode reply = JSON.readTree(infer(request("[1,2,3,4,5,6]")).body());
        assertThat(reply.get("model_version").asText()).isEqualTo("2");
        assertThat(send(to("/v2/models/linear/versions/1")).statusCode()).isEqualTo(404);
    }

    private HttpRequest.Builder load(String name, String body) {
        return to("/v2/repository/models/" + name + "/load")
                .header("Authorization", "Bearer s3cret")
                .POST(BodyPublishers.ofString(body));
    }

    /** A repository that knows one model, which cannot be replaced by what is called late. */
    private static CompletableFuture<String> repository(String name, Map<String, String> parameters) {
        if (!name.equals("linear")) {
            return CompletableFuture.failedFuture(new UnknownModelException("there is no model '" + name + "'"));
        }
        String model = parameters.getOrDefault("model", "");
        return switch (model) {
            case "" -> CompletableFuture.failedFuture(new IllegalArgumentException("a load must say where"));
            case "broken" -> CompletableFuture.failedFuture(new NoClassDefFoundError("io/paritas/Missing"));
            case "late" -> CompletableFuture.failedFuture(new Repository.ConflictException("another is loaded", null));
            default -> CompletableFuture.completedFuture("after " + model);
        };
    }

    @Test
    void aModelIsReplacedByWhoHasTheToken() throws Exception {
        instances.serve("1", PATIENT, 2);
        server = new HttpServer(frontEnd, HttpOptions.DEFAULT.withToken("s3cret"), HttpServerTest::repository);

        assertThat(send(load("linear", "{\"parameters\":{\"model\":\"/m\"}}")).body())
                .isEqualTo("{\"name\":\"linear\",\"version\":\"after /m\"}");
        HttpResponse<String> late = send(load("linear", "{\"parameters\":{\"model\":\"late\"}}"));
        assertThat(late.statusCode()).isEqualTo(409);
        assertThat(late.body()).isEqualTo("{\"error\":\"another is loaded\"}");
        HttpResponse<String> broken = send(load("linear", "{\"parameters\":{\"model\":\"broken\"}}"));
        assertThat(broken.statusCode()).isEqualTo(500);
        assertThat(broken.body())
                .isEqualTo("{\"error\":\"this server has a fault, which its log describes:"
                        + " java.lang.NoClassDefFoundError: io/paritas/Missing\"}");
        assertThat(send(load("linear", "{}")).statusCode()).isEqualTo(400);
        assertThat(send(load("linear", "{\"parameters\":\"/m\"}")).body())
                .isEqualTo("{\"error\":\"'parameters' must be an object, got \\\"/m\\\"\"}");
        assertThat(send(load("linear", "{\"parameters\":{\"model\":7}}")).body())
                .isEqualTo("{\"error\":\"the parameters of a load must be strings, got 7 for 'model'\"}");
        assertThat(send(load("other", "{}")).statusCode()).isEqualTo(404);
        assertThat(send(to("/v2/repository/models/linear/load").POST(BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void noModelIsReplacedWithoutATokenOrARepository() throws Exception {
        instances.serve("1", PATIENT, 2);
        server = new HttpServer(frontEnd, HttpOptions.DEFAULT, HttpServerTest::repository);

        assertThat(send(load("linear", "{}")).statusCode()).isEqualTo(403);
        assertThat(send(load("linear", "{}")).body())
                .isEqualTo(
                        "{\"error\":\"the model linear must be loaded and unloaded with a token, because that names files of"
                                + " the server: start the server with a token file\"}");
        server.close();
        start(HttpOptions.DEFAULT.withToken("s3cret"));
        assertThat(send(load("linear", "{}")).statusCode()).isEqualTo(501);
    }

    @Test
    void modelsAreUnloadedAndTheIndexHasThoseToo() throws Exception {
        instances.serve("1", PATIENT, 2);
        server = new HttpServer(frontEnd, HttpOptions.DEFAULT.withToken("s3cret"), new Repository() {
            @Override
            public CompletableFuture<String> load(String name, Map<String, String> parameters) {
                return HttpServerTest.repository(name, parameters);
            }

            @Override
            public CompletableFuture<Void> unload(String name) {
                return frontEnd.retire(name, "1");
            }

            @Override
            public CompletableFuture<List<Candidate>> candidates() {
                return CompletableFuture.completedFuture(List.of(
                        new Candidate("broken", "it has no file"),
                        new Candidate("linear", ""),
                        new Candidate("other", "")));
            }
        });

        assertThat(index("")).contains("READY", "\"other\",\"version\":\"\",\"state\":\"UNAVAILABLE\"", "\"unloaded\"");
        assertThat(index(""))
                .contains("\"broken\",\"version\":\"\",\"state\":\"UNAVAILABLE\",\"reason\":\"it has no file\"");
        assertThat(index("{\"ready\":true}")).contains("linear").doesNotContain("other", "broken");
        assertThat(send(unload("linear", "{\"parameters\":{\"unload_dependents\":false}}"))
                        .body())
                .isEqualTo("{\"name\":\"linear\"}");
        assertThat(send(unload("linear", "")).statusCode()).isEqualTo(404);
        assertThat(index("")).doesNotContain("READY");
    }

    private String index(String body) throws Exception {
        return send(to("/v2/repository/index")
                        .header("Authorization", "Bearer s3cret")
                        .POST(BodyPublishers.ofString(body)))
                .body();
    }

    private HttpRequest.Builder unload(String name, String body) {
        return to("/v2/repository/models/" + name + "/unload")
                .header("Authorization", "Bearer s3cret")
                .POST(BodyPublishers.ofString(body));
    }

    @Test
    void withoutARepositoryThatUnloadsNothingIsUnloaded() throws Exception {
        instances.serve("1", PATIENT, 2);
        server = new HttpServer(frontEnd, HttpOptions.DEFAULT.withToken("s3cret"), HttpServerTest::repository);

        assertThat(send(unload("linear", "")).statusCode()).isEqualTo(501);
    }

    @Test
    void theLargestValuesAreClasses() throws Exception {
        start();
        String outputs = ",\"outputs\":[{\"name\":\"output\",\"parameters\":{\"classification\":%s}}]";
        float[] first = LocalInstances.MODEL.predict(new float[] {1, 2, 3});
        int best = first[0] >= first[1] ? 0 : 1;

        JsonNode one = JSON.readTree(infer(request("[1,2,3,4,5,6]").replace("]}]", "]}]" + outputs.formatted(1)))
                .body());
        assertThat(one.path("outputs").get(0).path("datatype").asText()).isEqualTo("BYTES");
        assertThat(one.path("outputs").get(0).path("shape").toString()).isEqualTo("[2,1]");
        assertThat(one.path("outputs").get(0).path("data").get(0).asText())
                .isEqualTo(String.format(Locale.ROOT, "%f:%d", first[best], best));
        assertThat(infer(request("[1,2,3,4,5,6]").replace("]}]", "]}]" + outputs.formatted(7)))
                        .body())
                .contains("\"shape\":[2,2]");
        assertThat(infer(request("[1,2,3,4,5,6]").replace("]}]", "]}]" + outputs.formatted("\"a\"")))
                        .body())
                .contains("the parameter classification must be a number of classes of at least 1, got");
    }

    @Test
    void theIndexHasAllVersions() throws Exception {
        start();
        instances.serve("2", PATIENT, 0);

        assertThat(send(to("/v2/repository/index").POST(BodyPublishers.noBody()))
                        .body())
                .isEqualTo("[{\"name\":\"linear\",\"version\":\"1\",\"state\":\"READY\",\"reason\":\"\"},"
                        + "{\"name\":\"linear\",\"version\":\"2\",\"state\":\"UNAVAILABLE\","
                        + "\"reason\":\"no instance is ready\"}]");
    }

    private void await(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("%s", frontEnd.status()).isLessThan(end);
            Thread.sleep(10);
        }
    }

    @Test
    void clientsThatAreGoneLeaveNothing() throws Exception {
        instances.serve("1", PATIENT, 2);
        start(HttpOptions.DEFAULT.withConnections(1));
        instances.freeze(Role.DEPLOYED, 0);
        instances.freeze(Role.DEPLOYED, 1);
        URI url = URI.create(server.url());
        byte[] body = request("[1,2,3,4,5,6]")
                .replaceFirst("^\\{", "{\"parameters\":{\"timeout\":5000000},")
                .getBytes(StandardCharsets.UTF_8);
        try (Socket hasty = new Socket(url.getHost(), url.getPort())) {
            hasty.getOutputStream()
                    .write(("POST " + INFER + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length
                                    + "\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
            hasty.getOutputStream().write(body);
            await(() -> frontEnd.status("linear", "").backlog().unanswered() == 2);
        }

        await(() -> frontEnd.status("linear", "").backlog().unanswered() == 0);
        await(() -> {
            try (Socket next = new Socket(url.getHost(), url.getPort())) {
                next.getOutputStream()
                        .write("GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .getBytes(StandardCharsets.UTF_8));
                return next.getInputStream().read() == 'H'; // -1 while the one connection is taken
            } catch (IOException e) {
                return false;
            }
        });
    }

    @Test
    void queriesOfClientsThatHaveLeftAreNotSent() throws Exception {
        instances.serve("1", PATIENT, 1);
        start(HttpOptions.DEFAULT);
        instances.freeze(Role.DEPLOYED, 0);
        instances.freeze(Role.parity(0), 0);
        String body = request("[1,2,3,4,5,6]");
        List<RawConnection> clients = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            clients.add(inferring(body));
        }
        await(() -> frontEnd.status("linear", "").backlog().unanswered() == 40);

        for (RawConnection client : clients) {
            client.close();
        }

        await(() -> frontEnd.status("linear", "").backlog().unanswered() == 0);
        assertThat(frontEnd.status("linear", "").backlog().waiting().values()).containsOnly(0);
        assertThat(frontEnd.status("linear", "")
                        .meter()
                        .latencies(Outcome.UNAVAILABLE)
                        .count())
                .isZero();
    }

    @Test
    void aFrontEndThatStartsAgainAnswersAtItsAddress() throws Exception {
        HttpOptions options = HttpOptions.DEFAULT.withPort(FreePort.find());
        instances.serve("1", PATIENT, 2);
        start(options);
        assertThat(infer(request("[1,2,3,4,5,6]")).statusCode()).isEqualTo(200);
        server.close();
        frontEnd.close();

        try (FrontEnd next = new FrontEnd();
                HttpServer again = new HttpServer(next, options)) {
            assertThat(send(to("/v2/health/ready")).statusCode()).isEqualTo(400);
            new LocalInstances(next, thread).serve("1", PATIENT, 2);

            assertThat(again.url()).isEqualTo(server.url());
            JsonNode reply = JSON.readTree(infer(request("[1,2,3,4,5,6]")).body());
            assertThat(JSON.convertValue(reply.at("/outputs/0/data"), float[].class))
                    .isEqualTo(expected());
        }
    }

    /** Netty would end the connection, and log nothing. */
    @Test
    void anErrorIsAFaultOfTheServer() throws Exception {
        instances.serve("1", PATIENT, 2);
        server = new HttpServer(frontEnd, HttpOptions.DEFAULT.withToken("s3cret"), (name, parameters) -> {
            throw new NoClassDefFoundError("missing/Type");
        });

        try (Logged log = new Logged("io.paritas.inference.serving.requests")) {
            HttpResponse<String> response = send(load("linear", "{}"));

            assertThat(response.statusCode()).isEqualTo(500);
            assertThat(response.body())
                    .isEqualTo("{\"error\":\"this server has a fault, which its log describes:"
                            + " java.lang.NoClassDefFoundError: missing/Type\"}");
            assertThat(log.lines()).contains("ERROR Paritas: a request could not be answered");
        }
    }
}
