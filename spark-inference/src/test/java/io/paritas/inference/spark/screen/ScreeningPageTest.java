/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.screen.Screens;
import io.paritas.spark.ParitasPlugin;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The page of a real application in this JVM, over HTTP: who may see it, and what it says. */
class ScreeningPageTest {
    private static final String USER = "x-user";
    private static final String LAYER = "<script>alert('1')</script>";

    private static SparkSession spark;

    private final HttpClient client =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();

    /** Believes what a request says of its user, as a proxy before Spark would have it. */
    public static final class Login implements Filter {
        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            HttpServletRequest http = (HttpServletRequest) request;
            chain.doFilter(
                    new HttpServletRequestWrapper(http) {
                        @Override
                        public String getRemoteUser() {
                            return http.getHeader(USER);
                        }
                    },
                    response);
        }
    }

    @BeforeAll
    static void start() {
        endOther();
        spark = SparkSession.builder()
                .master("local[2]")
                .config("spark.driver.host", "localhost")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.plugins", ParitasPlugin.class.getName())
                .config("spark.paritas.screen", "audit")
                .config("spark.paritas.screen.interval", "20ms")
                .config("spark.ui.enabled", "true")
                .config("spark.ui.port", "0")
                .config("spark.ui.filters", Login.class.getName())
                .config("spark.acls.enable", "true")
                .config("spark.ui.view.acls", "viewer")
                .getOrCreate();
        spark.sparkContext().setLogLevel("ERROR");
    }

    private static void endOther() {
        org.apache.spark.sql.classic.SparkSession.getDefaultSession().foreach(session -> {
            session.stop();
            return null;
        });
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    private HttpResponse<String> page(String user) throws Exception {
        URI tab = URI.create(spark.sparkContext().uiWebUrl().get() + "/paritas/");
        return client.send(
                HttpRequest.newBuilder(tab).header(USER, user).build(), HttpResponse.BodyHandlers.ofString());
    }

    private String awaitPage(String part) throws Exception {
        String body = "";
        for (int attempt = 0; attempt < 1_000 && !body.contains(part); attempt++) {
            Thread.sleep(20);
            body = page("viewer").body();
        }
        assertThat(body).contains(part);
        return body;
    }

    @Test
    void saysWhoWasWrongAndEscapesWhatModelsSay() throws Exception {
        awaitPage("<td>clear</td>");
        for (int i = 0; i < 2; i++) {
            Screens.current().layers().checked("sha options", 4, List.of(LAYER));
        }

        awaitPage("fewer than half of the executors would be left");
        // What is told of it last.
        String body = awaitPage("&lt;script&gt;alert(");

        assertThat(body)
                .contains(
                        "Screened executors",
                        "Screened hosts",
                        "<th>Last wrong</th>",
                        "<td>driver</td><td>localhost</td>")
                .contains("<td>suspect</td>", "<td>10^10.0</td><td>10^9.0</td>")
                .contains("&lt;script&gt;alert(")
                .doesNotContain(LAYER, "<script>alert");
        assertThat(page("stranger").statusCode()).isEqualTo(403);
        assertThat(page("stranger").body()).doesNotContain("Screened", "suspect");
    }

    @Test
    void saysWhatTheExercisesOfProcessorsFound() throws Exception {
        ExecutorScreen.run(spark.sparkContext(), Duration.ofMillis(50));

        String body = awaitPage("Processors that were exercised until ");

        assertThat(body)
                .containsPattern(
                        "<td>driver</td><td>localhost</td><td>0[^<]*</td><td>clear</td><td>\\d+</td><td>0</td>");
    }
}
