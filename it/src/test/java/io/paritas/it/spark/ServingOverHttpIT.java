/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.http.Browser;
import io.paritas.inference.serving.http.HttpOptions;
import io.paritas.inference.serving.http.HttpServer;
import io.paritas.inference.serving.spark.Deployment;
import io.paritas.inference.serving.spark.ServingPlan;
import io.paritas.inference.serving.spark.ServingSettings;
import io.paritas.inference.serving.spark.Versions;
import io.paritas.inference.spark.ExactModel;
import io.paritas.it.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What operators see and do from outside, with instances in real executors: the page in a browser, and a new version over HTTP. */
@Order(SparkClusters.PLAIN)
@Tag(SparkClusters.SHARED)
class ServingOverHttpIT {
    private static final String NAME = "linear";
    private static final String TOKEN = "s3cret";
    private static final ExactModel FIRST = ExactModel.of(3, 2, 1);
    private static final ExactModel SECOND = ExactModel.of(3, 2, 2);
    private static final Duration START = Duration.ofMinutes(2);

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    private Path write(ExactModel model, String name) throws IOException {
        Path parent = Files.createDirectory(folder.resolve(name));
        model.parity(2, 1, Map.of()).write(parent);
        return model.write(parent);
    }

    private HttpRequest request(HttpServer server, String path, String body) {
        return HttpRequest.newBuilder(URI.create(server.url() + path))
                .header("Authorization", "Bearer " + TOKEN)
                .POST(BodyPublishers.ofString(body))
                .build();
    }

    private String infer(HttpServer server) throws Exception {
        HttpResponse<String> response = client.send(
                request(
                        server,
                        "/v2/models/linear/infer",
                        "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\","
                                + "\"shape\":[2,3],\"data\":[1,2,3,1,2,3]}]}"),
                BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    private static String data(ExactModel model) {
        float[] values = model.predict(new float[] {1, 2, 3});
        return "\"data\":[" + values[0] + "," + values[1] + "," + values[0] + "," + values[1] + "]";
    }

    @Test
    void aKilledInstanceIsSeenAndAVersionIsReplacedUnderLoad() throws Exception {
        SparkConf conf = new SparkConf(false)
                .set(ServingSettings.MODEL.key(), write(FIRST, "first").toString())
                .set(ServingSettings.NAME.key(), NAME)
                .set(ServingSettings.DEADLINE.key(), "30s");
        ServingPlan plan = ServingPlan.of(conf);
        try (FrontEnd frontEnd = new FrontEnd();
                Deployment deployment = new Deployment(
                        JavaSparkContext.fromSparkContext(SPARK.session().sparkContext()), frontEnd);
                HttpServer server = new HttpServer(
                        frontEnd,
                        HttpOptions.DEFAULT.withToken(TOKEN),
                        new Versions(conf, deployment, List.of(plan), START))) {
            deployment.deploy(plan);
            deployment.awaitReady(plan, START);
            assertThat(infer(server)).contains(data(FIRST));

            look(server, frontEnd);
            Await.until("all are back", () -> deployment.isComplete(plan), () -> frontEnd.status(NAME, "")
                    .instances());
            replace(server);

            assertThat(infer(server)).contains(data(SECOND), "\"model_version\":\"2\"");
            assertThat(client.send(request(server, "/v2/repository/index", ""), BodyHandlers.ofString())
                            .body())
                    .isEqualTo("[{\"name\":\"linear\",\"version\":\"2\",\"state\":\"READY\",\"reason\":\"\"}]");
        }
    }

    /** Kills an instance before the eyes of a browser, if there is one. */
    private void look(HttpServer server, FrontEnd frontEnd) throws Exception {
        if (!Browser.isInstalled()) {
            return; // PageTest says so
        }
        try (Browser browser = Browser.start(Files.createDirectory(folder.resolve("browser")))) {
            browser.open(server.url());
            browser.await("document.getElementById('login') && !document.getElementById('login').hidden");
            browser.ask("(document.getElementById('token').value = '" + TOKEN
                    + "', document.getElementById('login').requestSubmit())");
            browser.await("document.querySelectorAll('.instances tbody tr.idle').length === 3");

            Instance killed = frontEnd.status(NAME, "").instances().keySet().stream()
                    .filter(instance -> instance.role().equals(Role.DEPLOYED))
                    .findFirst()
                    .orElseThrow();
            executor(killed).kill();
            String its = "[...document.querySelectorAll('.instances tbody tr')].filter(row =>"
                    + " row.children[0].textContent === '" + killed.id() + "')";
            browser.await(its + ".some(row => row.className === 'gone')");
            browser.await(its + ".some(row => row.className === 'idle' && Number(row.lastChild.textContent) > "
                    + killed.generation() + ")");
            assertThat(browser.complaints()).as("of the page").allMatch(complaint -> complaint.contains("401"));
        }
    }

    private static ExecutorProcess executor(Instance instance) {
        return SPARK.executors().stream()
                .filter(executor -> instance.where().startsWith("executor " + executor.id() + " "))
                .findAny()
                .orElseThrow();
    }

    private void replace(HttpServer server) throws Exception {
        HttpResponse<String> missing = client.send(
                request(server, "/v2/repository/models/linear/load", "{\"parameters\":{\"model\":\"/no/such\"}}"),
                BodyHandlers.ofString());
        assertThat(missing.statusCode()).isEqualTo(400);
        assertThat(missing.body()).contains("there must be a model at '/no/such', no such file is there on the driver");

        Path second = write(SECOND, "second");
        CompletableFuture<HttpResponse<String>> loaded = client.sendAsync(
                request(server, "/v2/repository/models/linear/load", "{\"parameters\":{\"model\":\"" + second + "\"}}"),
                BodyHandlers.ofString());
        while (!loaded.isDone()) {
            String reply = infer(server);
            assertThat(reply).contains(data(reply.contains("\"model_version\":\"1\"") ? FIRST : SECOND));
        }
        assertThat(loaded.get().body()).isEqualTo("{\"name\":\"linear\",\"version\":\"2\"}");
    }
}
