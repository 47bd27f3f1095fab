/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.Role;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page, in a real browser where there is one, and what it is made of, without. */
class PageTest extends ServedLinear {
    /** A folder for pictures of the page, to look at. */
    private static final String PICTURES = System.getProperty("io.paritas.test.pictures");

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    private HttpResponse<String> get(String path) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create(server.url() + path)).build(), BodyHandlers.ofString());
    }

    private void ask(int pairs) {
        for (int i = 0; i < pairs; i++) {
            pair(i).forEach(CompletableFuture::join);
        }
    }

    private List<CompletableFuture<Reply>> pair(int number) {
        return frontEnd.predict(
                LocalInstances.NAME, "", "", List.of(new float[] {1, 2, 3}, new float[] {number, 0, 1}), Duration.ZERO);
    }

    private static String cell(String row, String cell) {
        return "(document.querySelector('" + row + " " + cell + "') || {textContent: ''}).textContent";
    }

    @Test
    void showsInstancesAndWhoIsGoneAndWhatIsReconstructed() throws Exception {
        try (Browser browser = Browser.start(folder)) {
            browser.look(1_100, 900, "light");
            browser.open(server.url());
            browser.awaitText("#connection", "live");
            browser.awaitText("section[data-model=linear] h2", "linear, version 1");
            assertThat(browser.ask("[...document.querySelectorAll('.instances tbody tr')].map(row =>"
                            + " [...row.children].map(cell => cell.textContent).join(' ')).join(';')"))
                    .isEqualTo("deployed/0 deployed deployed/0 idle 0;deployed/1 deployed deployed/1 idle 0;"
                            + "parity-0/0 parity-0 parity-0/0 idle 0");
            assertThat(browser.ask("document.querySelector('.policy').textContent"))
                    .isEqualTo("coded, k = 2, r = 1");

            ask(20);
            browser.await(cell("tr.predicted", ".ever") + " !== '0'");
            picture(browser, "light");

            instances.lose("1", Role.DEPLOYED, 0);
            instances.freeze(Role.DEPLOYED, 1);
            browser.await("document.querySelector('.instances tr.gone th').textContent === 'deployed/0'");
            List<String> all = List.of("predicted", "reconstructed");
            List<CompletableFuture<Reply>> stuck = pair(0); // one of them at the only instance, which is frozen
            instances.join("1", Role.DEPLOYED, 2);
            stuck.forEach(CompletableFuture::join);
            ask(2);
            browser.await("['predicted', 'reconstructed'].map(outcome => Number(document.querySelector(`tr.${outcome}"
                    + " .ever`).textContent)).reduce((a, b) => a + b) === 46");
            assertThat(browser.ask(cell("tr.reconstructed", ".ever"))).isNotEqualTo("0");
            browser.await("document.querySelector('.instances tr.busy') !== null");
            browser.await("[...document.querySelectorAll('.queues .waiting')].length === 2");
            assertThat(all).allSatisfy(outcome -> assertThat(browser.ask(cell("tr." + outcome, ".share")))
                    .matches("\\d+\\.\\d %"));
            assertThat(browser.ask("document.querySelector('.instances tr.busy th').textContent"))
                    .isEqualTo("deployed/1");
            browser.await("document.querySelector('.p99 dd').textContent.endsWith('s')");
            browser.await("document.querySelector('.chart path.p50').getAttribute('d').startsWith('M')");
            picture(browser, "lost");
            browser.look(1_100, 900, "dark");
            picture(browser, "dark");
            browser.look(390, 800, "light");
            browser.await("document.querySelector('svg').viewBox.baseVal.width < 390");
            assertThat(browser.ask("document.documentElement.scrollWidth <= innerWidth"))
                    .as("nothing sticks out on a phone")
                    .isEqualTo("true");
            picture(browser, "phone");
            assertThat(browser.complaints()).isEmpty();

            server.close();
            browser.awaitText("#trouble", "The server does not answer, since");
            browser.awaitText("#connection", "server gone");
            assertThat(browser.ask("document.querySelector('h2').textContent")).isEqualTo("linear, version 1");
            picture(browser, "server-gone");
        }
    }

    private static void picture(Browser browser, String name) throws Exception {
        if (PICTURES != null) {
            Files.write(Files.createDirectories(Path.of(PICTURES)).resolve(name + ".png"), browser.picture());
        }
    }

    @Test
    void asksForTheTokenAndKeepsItInTheTab() throws Exception {
        listen(HttpOptions.DEFAULT.withToken("s3cret"));
        try (Browser browser = Browser.start(folder)) {
            browser.open(server.url());
            browser.await("document.getElementById('login') && !document.getElementById('login').hidden");
            assertThat(browser.ask("document.getElementById('models').textContent"))
                    .isEmpty();

            type(browser, "wrong");
            browser.awaitText("#trouble", "That is not the token of this server.");
            picture(browser, "token");
            type(browser, "s3cret");
            browser.awaitText("h2", "linear, version 1");

            assertThat(browser.ask("document.getElementById('login').hidden")).isEqualTo("true");
            assertThat(browser.ask("location.href + document.cookie + Object.keys(localStorage)"))
                    .isEqualTo(server.url() + "/");
            browser.open(server.url() + "/");
            browser.awaitText("h2", "linear, version 1");
        }
    }

    /** Such as a dash of a text program: the browser asks no server with it, now or after a reload. */
    @Test
    void aTokenThatNoHeaderCanHaveIsNone() throws Exception {
        listen(HttpOptions.DEFAULT.withToken("s3cret"));
        try (Browser browser = Browser.start(folder)) {
            browser.open(server.url());
            browser.await("document.getElementById('login') && !document.getElementById('login').hidden");

            type(browser, "s3\u2013cret");
            browser.awaitText("#trouble", "That is not the token of this server.");
            assertThat(browser.ask("sessionStorage.length")).isEqualTo("0");
            type(browser, "s3cret");
            browser.awaitText("h2", "linear, version 1");
        }
    }

    @Test
    void asksOnceASecondHoweverOftenSomebodyLogsIn() throws Exception {
        listen(HttpOptions.DEFAULT.withToken("s3cret"));
        try (Browser browser = Browser.start(folder)) {
            browser.open(server.url());
            browser.await("document.getElementById('login') && !document.getElementById('login').hidden");
            browser.ask("window.asked = [], window.fetch = () => {"
                    + " asked.push(performance.now()); return Promise.reject(new TypeError('no server')); }, 1");
            for (int i = 0; i < 5; i++) {
                type(browser, "s3cret");
                browser.awaitText("#trouble", "The server does not answer, since");
            }
            browser.ask("window.first = asked.length");
            browser.await("asked.length > first + 3");

            assertThat(browser.ask("asked.slice(first).every((at, i) => at - asked[first + i - 1] > 500)"))
                    .as("a timer is never early")
                    .isEqualTo("true");
        }
    }

    @Test
    void saysThatItIsOfAnotherVersionThanTheServer() throws Exception {
        try (Browser browser = Browser.start(folder)) {
            browser.open(server.url());
            browser.awaitText("#connection", "live");

            browser.ask("OUTCOMES.push('guessed'), 1");

            browser.awaitText(
                    "#trouble", "What the server tells is of another version than this page: reload it, since");
        }
    }

    private static void type(Browser browser, String token) {
        browser.ask("(document.getElementById('token').value = '" + token
                + "', document.getElementById('login').requestSubmit())");
    }

    @Test
    void thePageNeedsNoTokenAndLoadsNothingFromElsewhere() throws Exception {
        listen(HttpOptions.DEFAULT.withToken("s3cret"));
        for (String path : List.of("/", "/page.css", "/page.js")) {
            HttpResponse<String> file = get(path);

            assertThat(file.statusCode()).as(path).isEqualTo(200);
            assertThat(file.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .startsWith("default-src 'none'; script-src 'self';")
                    .contains("frame-ancestors 'none'")
                    .doesNotContain("unsafe");
            assertThat(file.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
            assertThat(file.body())
                    .doesNotContain("s3cret", "linear")
                    .doesNotContainPattern("https?://(?!www\\.w3\\.org/2000/svg)");
        }
        assertThat(get("/v2/paritas/status").statusCode()).isEqualTo(401);
        assertThat(get("/page.html").statusCode()).isEqualTo(401);
    }

    @Test
    void tellsProgramsHowModelsDo() throws Exception {
        ask(2);
        instances.lose("1", Role.parity(0), 0);

        JsonNode json = new ObjectMapper().readTree(get("/v2/paritas/status").body());

        JsonNode model = json.at("/models/0");
        assertThat(model.get("name").asText()).isEqualTo("linear");
        assertThat(model.get("current").asBoolean()).isTrue();
        assertThat(model.get("queues").toString())
                .isEqualTo("[{\"role\":\"deployed\",\"instances\":2,\"waiting\":0},"
                        + "{\"role\":\"parity-0\",\"instances\":0,\"waiting\":0}]");
        assertThat(model.at("/instances/2").toString())
                .isEqualTo("{\"id\":\"parity-0/0\",\"role\":\"parity-0\",\"where\":\"parity-0/0\",\"generation\":0,"
                        + "\"state\":\"gone\"}");
        int answers = 0;
        for (String outcome : List.of("predicted", "reconstructed")) {
            JsonNode counts = model.at("/latencies/" + outcome);
            assertThat(counts).hasSize(json.get("bounds").size() + 1);
            for (JsonNode count : counts) {
                answers += count.asInt();
            }
        }
        assertThat(answers).isEqualTo(4);
        assertThat(model.at("/events/rejected").asInt()).isZero();
    }
}
