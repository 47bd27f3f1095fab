/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Sends one query to {@code paritas serve}, over the Open Inference Protocol, and prints the prediction and whether it was predicted
 * or reconstructed.
 *
 * <p>Argument: the model's URL, such as {@code http://127.0.0.1:8000/v2/models/digits}.
 */
public final class ServingClient {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private ServingClient() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length != 1) {
            throw new IllegalArgumentException("the argument is URL, such as http://127.0.0.1:8000/v2/models/digits");
        }
        String model = arguments[0];
        JsonNode metadata = MAPPER.readTree(
                send(HttpRequest.newBuilder(URI.create(model)).build()).body());
        HttpResponse<String> reply = send(HttpRequest.newBuilder(URI.create(model + "/infer"))
                .timeout(Duration.ofSeconds(5))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(
                        query(metadata.at("/inputs/0")).toString()))
                .build());
        System.out.println(reply.headers().firstValue("Paritas-Outcome").orElse("unknown"));
        System.out.println(MAPPER.readTree(reply.body()).at("/outputs/0/data"));
    }

    /** One row of zeros, of the shape that the model's metadata has. */
    private static ObjectNode query(JsonNode input) {
        ObjectNode query = MAPPER.createObjectNode();
        ObjectNode tensor = query.putArray("inputs")
                .addObject()
                .put("name", input.path("name").asText())
                .put("datatype", "FP32");
        ArrayNode shape = tensor.putArray("shape").add(1);
        int values = 1;
        for (int i = 1; i < input.path("shape").size(); i++) {
            int size = input.path("shape").get(i).asInt();
            shape.add(size);
            values *= size;
        }
        ArrayNode data = tensor.putArray("data");
        for (int i = 0; i < values; i++) {
            data.add(0);
        }
        return query;
    }

    private static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> reply = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        if (reply.statusCode() != 200) {
            throw new IOException("the server answers " + reply.statusCode() + ": " + reply.body());
        }
        return reply;
    }
}
