/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DescriptionRoutesTest extends ServedLinear {
    private final HttpClient client = HttpClient.newHttpClient();

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create(server.url() + path));
    }

    @Test
    void aModelHasAConfiguration() throws Exception {
        assertThat(send(to("/v2/models/linear/config")).body())
                .isEqualTo("{\"name\":\"linear\",\"platform\":\"paritas\",\"max_batch_size\":1000,"
                        + "\"input\":[{\"name\":\"input\",\"data_type\":\"TYPE_FP32\",\"dims\":[3]}],"
                        + "\"output\":[{\"name\":\"output\",\"data_type\":\"TYPE_FP32\",\"dims\":[2]}],"
                        + "\"instance_group\":[{\"name\":\"deployed\",\"kind\":\"KIND_AUTO\",\"count\":2},"
                        + "{\"name\":\"parity-0\",\"kind\":\"KIND_AUTO\",\"count\":1}],"
                        + "\"parameters\":{\"policy\":{\"string_value\":\"coded, k = 2, r = 1\"},"
                        + "\"version\":{\"string_value\":\"1\"},\"deadline\":{\"string_value\":\"PT1M\"}}}");
        assertThat(send(to("/v2/models/other/config")).statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v2/models/stats", "/v2/models/linear/stats", "/v2/models/linear/versions/1/stats"})
    void rowsAreCountedAndTheirTimesAreApart(String path) throws Exception {
        String body =
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[2,3]," + "\"data\":[1,2,3,4,5,6]}]}";
        assertThat(send(to("/v2/models/linear/infer").POST(BodyPublishers.ofString(body)))
                        .statusCode())
                .isEqualTo(200);

        JsonNode all = new ObjectMapper().readTree(send(to(path)).body()).get("model_stats");

        assertThat(all).hasSize(1);
        JsonNode model = all.get(0);
        assertThat(model.get("name").asText()).isEqualTo("linear");
        assertThat(model.get("version").asText()).isEqualTo("1");
        assertThat(model.get("inference_count").asInt()).isEqualTo(2);
        assertThat(model.get("execution_count").asInt()).isEqualTo(2);
        JsonNode times = model.get("inference_stats");
        assertThat(times.at("/success/count").asInt()).isEqualTo(2);
        assertThat(times.at("/success/ns").asLong()).isPositive();
        assertThat(times.at("/fail/count").asInt()).isZero();
        assertThat(times.at("/queue/count").asInt()).isEqualTo(2);
        assertThat(times.at("/compute_infer/count").asInt()).isEqualTo(2);
        assertThat(times.at("/queue/ns").asLong()
                        + times.at("/compute_infer/ns").asLong())
                .isLessThanOrEqualTo(times.at("/success/ns").asLong());
        assertThat(model.at("/paritas_outcome/predicted").asInt()).isEqualTo(2);
    }

    @Test
    void aModelThatIsNotThereHasNoStatistics() throws Exception {
        assertThat(send(to("/v2/models/other/stats")).statusCode()).isEqualTo(404);
        assertThat(send(to("/v2/models/linear/versions/2/stats")).statusCode()).isEqualTo(404);
    }
}
