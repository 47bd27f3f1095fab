/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A recorded session of Triton's client for Python, byte for byte on one connection. Its requests were made by tritonclient.http of
 * triton-inference-server/client at 58a44caa, with heads as geventhttpclient writes them.
 */
class TritonClientSessionTest extends ServedLinear {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Socket socket;
    private DataInputStream in;

    /** An answer: its status, headers by lower-case names, and its body. */
    private record Answered(int status, Map<String, String> headers, byte[] body) {
        JsonNode json() throws IOException {
            int length = Integer.parseInt(
                    headers.getOrDefault("inference-header-content-length", String.valueOf(body.length)));
            return JSON.readTree(body, 0, length);
        }

        /** The float32 values behind the JSON. */
        float[] values() throws IOException {
            int length = Integer.parseInt(headers.get("inference-header-content-length"));
            float[] values = new float[(body.length - length) / Float.BYTES];
            ByteBuffer.wrap(body, length, body.length - length)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asFloatBuffer()
                    .get(values);
            return values;
        }
    }

    @BeforeEach
    void connect() throws IOException {
        URI url = URI.create(server.url());
        socket = new Socket(url.getHost(), url.getPort());
        in = new DataInputStream(socket.getInputStream());
    }

    @AfterEach
    void disconnect() throws IOException {
        socket.close();
    }

    private Answered replay(String request) throws IOException {
        try (InputStream bytes = getClass().getResourceAsStream("tritonclient/" + request + ".http")) {
            socket.getOutputStream().write(bytes.readAllBytes());
        }
        int status = Integer.parseInt(line().split(" ", 3)[1]);
        Map<String, String> headers = new HashMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            String[] header = line.split(": ", 2);
            headers.put(header[0].toLowerCase(Locale.ROOT), header[1]);
        }
        byte[] body = in.readNBytes(Integer.parseInt(headers.get("content-length")));
        return new Answered(status, headers, body);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.readUnsignedByte(); next != '\n'; next = in.readUnsignedByte()) {
            line.append((char) next);
        }
        return line.toString().strip();
    }

    private static float[] expected() {
        float[] first = LocalInstances.MODEL.predict(new float[] {1, 2, 3});
        float[] second = LocalInstances.MODEL.predict(new float[] {4, 5, 6});
        return new float[] {first[0], first[1], second[0], second[1]};
    }

    /** The class of a row, as Triton writes it. */
    private static String best(int row) {
        float[] values = Arrays.copyOfRange(expected(), 2 * row, 2 * row + 2);
        int best = values[0] >= values[1] ? 0 : 1;
        return String.format(Locale.ROOT, "%f:%d", values[best], best);
    }

    @Test
    void whatItAsksBeforeIsAnswered() throws IOException {
        for (String request : new String[] {"01-live", "02-ready", "03-model-ready", "04-version-ready"}) {
            assertThat(replay(request).status).as(request).isEqualTo(200);
        }
        assertThat(replay("05-server-metadata").json().path("extensions").toString())
                .contains("\"binary_tensor_data\"", "\"statistics\"");
        assertThat(replay("06-model-metadata").json().path("inputs").toString())
                .isEqualTo("[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[-1,3]}]");
        assertThat(replay("07-config")
                        .json()
                        .path("input")
                        .get(0)
                        .path("data_type")
                        .asText())
                .isEqualTo("TYPE_FP32");
        assertThat(replay("08-all-statistics").json().path("model_stats")).hasSize(1);
        assertThat(replay("10-index").json().toString())
                .isEqualTo("[{\"name\":\"linear\",\"version\":\"1\",\"state\":\"READY\",\"reason\":\"\"}]");
    }

    @Test
    void itsQueriesAreAnsweredAsItWantsThem() throws IOException {
        assertThat(replay("11-infer").values()).containsExactly(expected());

        Answered named = replay("12-infer-outputs");
        assertThat(named.values()).containsExactly(expected());
        assertThat(named.json().path("id").asText()).isEqualTo("7");
        assertThat(named.json()
                        .path("outputs")
                        .get(0)
                        .path("parameters")
                        .path("binary_data_size")
                        .asInt())
                .isEqualTo(4 * Float.BYTES);

        JsonNode json = replay("13-infer-json").json().path("outputs").get(0);
        assertThat(json.path("shape").toString()).isEqualTo("[2,2]");
        float[] values = new float[4];
        for (int i = 0; i < values.length; i++) {
            values[i] = json.path("data").get(i).floatValue();
        }
        assertThat(values).containsExactly(expected());

        Answered classes = replay("14-infer-classes");
        assertThat(classes.json().path("outputs").get(0).path("datatype").asText())
                .isEqualTo("BYTES");
        assertThat(new String(classes.body, StandardCharsets.ISO_8859_1)).contains(best(0), best(1));

        assertThat(replay("09-statistics")
                        .json()
                        .path("model_stats")
                        .get(0)
                        .path("inference_stats")
                        .path("success")
                        .path("count")
                        .asInt())
                .isEqualTo(8); // rows
    }

    @Test
    void itMayCompress() throws IOException {
        Answered small = replay("15-infer-gzip"); // too short to be compressed, which its client must see in the head
        byte[] body = "deflate".equals(small.headers.get("content-encoding"))
                ? new InflaterInputStream(new ByteArrayInputStream(small.body)).readAllBytes()
                : small.body;
        assertThat(new Answered(200, small.headers, body).values()).containsExactly(expected());
        assertThat(replay("16-infer-deflate").values()).containsExactly(expected());
    }

    @Test
    void whatIsNotThereIsAnErrorThatItCanRead() throws IOException {
        Answered model = replay("17-infer-no-such-model");
        assertThat(model.status).isEqualTo(404);
        assertThat(model.json().path("error").asText()).startsWith("there is no model 'none'");
        Answered memory = replay("18-shared-memory");
        assertThat(memory.status).isEqualTo(404);
        assertThat(memory.json().path("error").asText()).startsWith("there is nothing at /v2/systemsharedmemory");
        assertThat(replay("01-live").status).isEqualTo(200); // on the same connection
    }
}
