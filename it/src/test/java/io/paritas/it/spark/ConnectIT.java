/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.spark.SparkHome;
import io.paritas.inference.serving.FreePort;
import io.paritas.it.Await;
import io.paritas.spark.ParitasPlugin;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import scala.jdk.javaapi.CollectionConverters;

/** Spark Connect: Paritas is where the server and its executors are, and a client needs nothing of it. */
class ConnectIT {
    private static final String SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer";

    /** Jars of Spark itself that its client shares with the server; its own jar has the rest. */
    private static final String SHARED = "spark-(common-utils|common-utils-java|sketch|tags|unsafe|variant)_.*";

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    @TempDir
    Path folder;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void endProcesses() throws Exception {
        for (Process process : processes) {
            process.destroy();
            process.waitFor();
        }
        Await.until("the executors have ended", () -> SPARK.executors().isEmpty(), SPARK::executors);
    }

    @Test
    void answersAClientThatKnowsNothingOfParitas() throws Exception {
        KnownAnswers known = KnownAnswers.exact(folder, 2, 1);

        List<String> answers = ask(startServer(), known.path());

        assertThat(answers)
                .hasSize(4 * ConnectClient.ROWS + 1)
                .endsWith("by org.apache.spark.sql.connect.SparkSession");
        for (String way : List.of("column", "function", "table")) {
            known.check(rows(answers, way), ConnectClient.ROWS);
        }
        assertThat(known.check(rows(answers, "late"), ConnectClient.ROWS)).contains(5L);
    }

    /** Starts a server on a free port of the loopback interface; returns its address. */
    private String startServer() throws Exception {
        SPARK.endApplication();
        int port = FreePort.find();
        Map<String, String> settings = new HashMap<>(SPARK.settings());
        settings.put("spark.plugins", ParitasPlugin.class.getName());
        settings.put("spark.connect.grpc.binding.address", "127.0.0.1");
        settings.put("spark.connect.grpc.binding.port", String.valueOf(port));
        Process server = SPARK.cluster()
                .submit(
                        jars("server").get(0),
                        SERVER,
                        Stream.concat(
                                        SparkHome.paritas().stream(),
                                        jars("server").stream().skip(1))
                                .toList(),
                        settings);
        processes.add(server);
        Await.until("the server listens", () -> !server.isAlive() || listens(port), () -> "its process runs");
        assertThat(server.isAlive()).as("the server runs").isTrue();
        return "sc://127.0.0.1:" + port;
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** What the client prints. */
    private List<String> ask(String server, Path model) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        command.addAll(List.of("-cp", clientClassPath(), ConnectClient.class.getName(), server, model.toString()));
        Process client = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        processes.add(client);
        String out = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(client.waitFor()).as(out).isZero();
        return out.lines().toList();
    }

    /** Spark's client with the libraries that it needs, and the one class of the program. */
    private String clientClassPath() throws IOException {
        String file = ConnectClient.class.getSimpleName() + ".class";
        Path program = folder.resolve("program");
        Path packaged = Files.createDirectories(
                program.resolve(ConnectClient.class.getPackageName().replace('.', '/')));
        try (InputStream in = ConnectClient.class.getResourceAsStream(file)) {
            Files.copy(in, packaged.resolve(file));
        }
        String spark = Files.readString(Path.of(System.getProperty("paritas.spark.classpath")));
        Stream<Path> libraries = Stream.of(spark.strip().split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(ConnectIT::isForClients);
        return Stream.of(Stream.of(program), jars("client").stream(), libraries)
                .flatMap(paths -> paths)
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isForClients(Path jar) {
        String name = jar.getFileName().toString();
        return !name.startsWith("spark-") || name.matches(SHARED);
    }

    /** Jars of Spark Connect for one side of it; that of Connect itself is the first one. */
    private static List<Path> jars(String side) throws IOException {
        try (Stream<Path> jars = Files.list(Path.of(System.getProperty("paritas.spark.connect"), side))) {
            return jars.sorted().toList();
        }
    }

    private static List<Row> rows(List<String> answers, String way) {
        return answers.stream()
                .map(line -> line.split(" ", -1))
                .filter(words -> words[0].equals(way))
                .map(words -> RowFactory.create(
                        Long.valueOf(words[1]),
                        CollectionConverters.asScala(List.of(Float.valueOf(words[2]), Float.valueOf(words[3])))
                                .toSeq(),
                        words[4]))
                .toList();
    }
}
