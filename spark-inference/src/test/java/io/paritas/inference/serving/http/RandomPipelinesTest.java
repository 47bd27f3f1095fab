/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests drawn at random, sent one behind the other in pieces: each has its own answer, in its turn. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RandomPipelinesTest extends ServedLinear {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_127L);
    private static final int PIPELINES = 300;
    private static final String CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

    /**
     * A request and its answer.
     *
     * @param status of the answer
     * @param end of the answer
     */
    private record Exchange(String request, int status, String end) {}

    private static Exchange draw(Random random, String more) {
        String end = " HTTP/1.1\r\nHost: localhost\r\n" + more;
        return switch (random.nextInt(6)) {
            case 0 -> new Exchange("GET /v2/health/live" + end + "\r\n", 200, "{\"live\":true}");
            case 1 -> new Exchange("HEAD /v2/models/linear" + end + "\r\n", 200, "\r\n\r\n");
            case 2 -> new Exchange("PUT /v2/models/linear" + end + "\r\n", 405, "got PUT\"}");
            default -> infer(random, end);
        };
    }

    private static Exchange infer(Random random, String end) {
        float[] input = {random.nextInt(100), random.nextInt(100), random.nextInt(100)};
        float[] output = LocalInstances.MODEL.predict(input);
        boolean fits = random.nextInt(4) > 0;
        String body = "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1," + (fits ? 3 : 2)
                + "],\"data\":[" + input[0] + "," + input[1] + "," + input[2] + "]}]}";
        String head = "POST /v2/models/linear/infer" + end + (random.nextBoolean() ? "Expect: 100-continue\r\n" : "");
        return new Exchange(
                head
                        + (random.nextBoolean()
                                ? chunked(body, random)
                                : "Content-Length: " + body.length() + "\r\n\r\n" + body),
                fits ? 200 : 400,
                fits ? "[" + output[0] + "," + output[1] + "]}]}" : "got [1,2]\"}");
    }

    private static String chunked(String body, Random random) {
        StringBuilder all = new StringBuilder("Transfer-Encoding: chunked\r\n\r\n");
        for (int from = 0; from < body.length(); ) {
            int length = Math.min(body.length() - from, 1 + random.nextInt(40));
            all.append(Integer.toHexString(length)).append(";a=b\r\n");
            all.append(body, from, from + length).append("\r\n");
            from += length;
        }
        return all.append("0\r\nTrailer: x\r\n\r\n").toString();
    }

    @Test
    void eachRequestHasItsAnswer() throws Exception {
        for (int pipeline = 0; pipeline < PIPELINES; pipeline++) {
            Random random = new Random(SEED + pipeline);
            List<Exchange> exchanges = new ArrayList<>();
            for (int others = random.nextInt(10); others > 0; others--) {
                exchanges.add(draw(random, ""));
            }
            exchanges.add(draw(random, "Connection: close\r\n"));
            try (RawConnection client = new RawConnection(server)) {
                String all = String.join(
                        "", exchanges.stream().map(Exchange::request).toList());
                for (int from = 0; from < all.length(); ) {
                    int until = Math.min(all.length(), from + 1 + random.nextInt(1_000));
                    client.text(all.substring(from, until));
                    from = until;
                }
                List<String> answers = client.answers().stream()
                        .filter(answer -> !answer.equals(CONTINUE))
                        .toList();

                assertThat(answers).as("seed %d", SEED + pipeline).hasSameSizeAs(exchanges);
                for (int i = 0; i < answers.size(); i++) {
                    assertThat(answers.get(i))
                            .as("answer %d of seed %d", i, SEED + pipeline)
                            .startsWith("HTTP/1.1 " + exchanges.get(i).status + " ")
                            .endsWith(exchanges.get(i).end);
                }
            }
        }
    }
}
