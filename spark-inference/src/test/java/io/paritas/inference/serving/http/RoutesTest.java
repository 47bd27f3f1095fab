/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.paritas.inference.serving.FrontEnd;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoutesTest {
    private final FrontEnd frontEnd = new FrontEnd();
    private final Routes routes = new Routes(frontEnd, HttpOptions.DEFAULT, Optional.empty());

    @AfterEach
    void end() {
        frontEnd.close();
    }

    private static HttpRequest get(String uri) {
        return new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, uri);
    }

    /** A path, a path behind an origin, and both with a query. */
    @ParameterizedTest
    @CsvSource({
        "/v2/models/m/ready, /v2/models/{model}/ready",
        "/v2/models/m/ready?, /v2/models/{model}/ready",
        "/v2/models/m/ready?a=/b?c, /v2/models/{model}/ready",
        "http://here:8000/v2/models/m/versions/1/config, /v2/models/{model}/versions/{version}/config",
        "HTTPS://here/v2?a=b, /v2",
        "/v2/, /v2/",
        "http://here, /",
        "http://here?a, /",
        "?a, /",
        "/v2/models/stats, /v2/models/stats"
    })
    void theRouteOfAUriIsThatOfItsPath(String uri, String path) {
        assertThat(routes.at(get(uri)).path()).isEqualTo(path);
    }

    @Test
    void thePartsInBracesAreParameters() {
        Route route = routes.at(get("/v2/models/m/versions/1"));
        assertThat(route.match(List.of("", "v2", "models", "m", "versions", "1")))
                .contains(Map.of("model", "m", "version", "1"));
        assertThat(route.match(List.of("", "v2", "models", "", "versions", "1")))
                .isEmpty();
    }

    @Test
    void aPathWithoutARouteIsNamedWithThoseThatThereAre() {
        assertThatThrownBy(() -> routes.at(get("http://here/v3?a")))
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith("there is nothing at /v3, there are /v2/health/live, /v2/health/ready, /v2, ")
                .hasMessageContaining(", /v2/models/{model}/versions/{version}/infer, ");
    }

    /** Each query looks for its route twice. */
    @Test
    void aRouteIsFoundWithoutTakingAllOthersApart() {
        HttpRequest query =
                new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/v2/models/m/versions/1/infer");
        routes.at(query);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100; i++) {
            routes.at(query);
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100 * 5_000);
    }
}
