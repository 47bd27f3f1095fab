/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.cli.spark.SparkHome;
import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.it.Await;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clusters of their own, small ones: nothing of them stays, however they end. */
class StandaloneClusterIT {
    private static final StandaloneCluster.Size SMALL = new StandaloneCluster.Size(1, 1, 512);

    @Test
    void runsASubmittedProgramWithTheJarsOfParitas() throws Exception {
        try (StandaloneCluster cluster = StandaloneCluster.start(SMALL)) {
            Process program = cluster.submit(
                    SharedSpark.tests(), SubmittedProgram.class.getName(), SparkHome.paritas(), Map.of());

            assertThat(new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("sum 12\n");
            assertThat(program.waitFor()).isZero();
        }
    }

    @Test
    void endsFrozenExecutorsAndSubmittedProgramsWhenItIsClosed() throws Exception {
        Path folder;
        Process program;
        try (StandaloneCluster cluster = StandaloneCluster.start(SMALL)) {
            folder = cluster.folder();
            program = cluster.submit(SharedSpark.tests(), SleepingProgram.class.getName(), List.of(), Map.of());
            Await.until("an executor runs", () -> !cluster.executors().isEmpty(), cluster::executors);
            cluster.executors().forEach(ExecutorProcess::freeze);
        }

        assertThat(program.isAlive()).isFalse();
        assertThat(processesOf(folder)).isEmpty();
        assertThat(folder).doesNotExist();
    }

    @Test
    void endsWhenTheProgramThatStartedItIsKilled() throws Exception {
        Process starter = starter(Path.of(System.getProperty("java.io.tmpdir")));
        Path folder;
        try (BufferedReader reader = starter.inputReader(StandardCharsets.UTF_8)) {
            folder = Path.of(reader.readLine());
        }
        // A process that one of them is about to start has its command line for a moment.
        Await.until(
                "master, worker, executor and program run",
                () -> processesOf(folder).size() == 4,
                () -> processesOf(folder));

        starter.destroyForcibly().waitFor();

        Await.until("all of them have ended", () -> processesOf(folder).isEmpty(), () -> processesOf(folder));
        delete(folder);
    }

    @Test
    void deletesItsFilesWhenTheProgramEndsWhileItStarts(@TempDir Path temporary) throws Exception {
        Process starter = starter(temporary);
        Await.until(
                "its master starts",
                () -> !processesOf(temporary.resolve("paritas-spark-")).isEmpty(),
                () -> temporary);

        starter.destroy();
        starter.waitFor();

        assertThat(temporary).isEmptyDirectory();
    }

    private static Process starter(Path temporary) throws IOException {
        return new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Djava.io.tmpdir=" + temporary,
                        "-XX:-UsePerfData",
                        "-Dparitas.spark.classpath=" + System.getProperty("paritas.spark.classpath"),
                        "-Dparitas.spark.tests=" + SharedSpark.tests(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        AbandonedCluster.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Spark's end an application for everybody who asks for it, and show the logs of executors. */
    @Test
    void pagesOfItsProcessesAreForNobody() throws Exception {
        try (StandaloneCluster cluster = StandaloneCluster.start(SMALL)) {
            HttpClient client = HttpClient.newHttpClient();
            for (String process : List.of("master", "worker-0")) {
                URI page = page(cluster.folder().resolve("logs").resolve(process + ".log"));
                for (String path : List.of("/", "/json/", "/logPage/?self&logType=out", "/static/webui.css")) {
                    HttpRequest request =
                            HttpRequest.newBuilder(page.resolve(path)).build();
                    assertThat(client.send(request, BodyHandlers.ofString()).statusCode())
                            .as(process + path)
                            .isEqualTo(403);
                }
                HttpRequest kill = HttpRequest.newBuilder(page.resolve("/app/kill/"))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(BodyPublishers.ofString("id=app-20260101000000-0000&terminate=true"))
                        .build();
                assertThat(client.send(kill, BodyHandlers.ofString()).statusCode())
                        .isEqualTo(403);
            }
        }
    }

    private static URI page(Path log) throws IOException {
        Matcher bound =
                Pattern.compile("WebUI to (\\S+), and started at .*:(\\d+)").matcher(Files.readString(log));
        assertThat(bound.find()).as("%s names its page", log).isTrue();
        return URI.create("http://" + bound.group(1) + ":" + bound.group(2));
    }

    @Test
    void hidesItsSecretFromCommandLines() throws Exception {
        try (StandaloneCluster cluster = StandaloneCluster.start(SMALL)) {
            String secret = cluster.settings().get("spark.authenticate.secret");

            assertThat(secret).hasSize(64);
            assertThat(processesOf(cluster.folder()))
                    .hasSizeGreaterThanOrEqualTo(2)
                    .noneMatch(command -> command.contains(secret));
            assertThat(Files.getPosixFilePermissions(cluster.folder())).hasSize(3);
        }
    }

    @Test
    void refusesSizesThatCannotBe() {
        assertThatThrownBy(() -> new StandaloneCluster.Size(3, 2, 256))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a cluster needs 1 to 250 workers, each with at least 1 core and 512 MB,"
                        + " got 3 workers with 2 cores and 256 MB");
    }

    private static List<String> processesOf(Path folder) {
        return ProcessHandle.allProcesses()
                .map(process -> process.info().commandLine().orElse(""))
                .filter(command -> command.contains(folder.toString()))
                .toList();
    }

    private static void delete(Path folder) throws Exception {
        try (var files = Files.walk(folder)) {
            files.sorted(java.util.Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        }
    }
}
