/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.cli.spark.SparkHome;
import io.paritas.inference.serving.FreePort;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * Hadoop YARN on this machine: a ResourceManager and NodeManagers as processes, with loopback addresses of their own, which are different hosts
 * to Spark. Files of applications lie in a folder, which stands in for HDFS. When it is closed, all processes have ended.
 */
final class YarnCluster implements AutoCloseable {
    private static final String DAEMONS = "org.apache.hadoop.yarn.server.";
    private static final String MANAGER = "127.0.0.1";

    private final Path folder;
    private final SparkHome spark;
    private final List<Process> processes = new ArrayList<>();

    /** @param folder for its settings, its logs and the files of applications */
    YarnCluster(Path folder, int nodes) throws IOException {
        this.folder = folder;
        this.spark = SparkHome.create(Path.of(System.getenv("SPARK_HOME")));
        write("core-site.xml", Map.of("fs.defaultFS", "file:///"));
        write("yarn-site.xml", settings());
        write(
                "capacity-scheduler.xml",
                Map.of(
                        "yarn.scheduler.capacity.root.queues", "default",
                        "yarn.scheduler.capacity.root.default.capacity", "100",
                        "yarn.scheduler.capacity.maximum-am-resource-percent", "1"));
        daemon("resourcemanager", DAEMONS + "resourcemanager.ResourceManager");
        for (int i = 0; i < nodes; i++) {
            String name = "node-" + i;
            daemon(
                    name,
                    DAEMONS + "nodemanager.NodeManager",
                    "-Dnode.host=127.0.0." + (2 + i),
                    "-Dnode.folder=" + Files.createDirectories(folder.resolve(name)));
        }
    }

    private Map<String, String> settings() throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("yarn.resourcemanager.hostname", MANAGER);
        settings.put("yarn.resourcemanager.connect.max-wait.ms", "120000");
        List<ServerSocket> taken = new ArrayList<>();
        for (String service : List.of("", ".scheduler", ".resource-tracker", ".admin", ".webapp")) {
            int port = FreePort.find();
            taken.add(new ServerSocket(port, 1, InetAddress.getByName(MANAGER)));
            settings.put("yarn.resourcemanager" + service + ".address", MANAGER + ":" + port);
        }
        for (ServerSocket socket : taken) {
            socket.close();
        }
        for (String service : List.of("", ".localizer", ".webapp", ".collector-service")) {
            settings.put("yarn.nodemanager" + service + ".address", "${node.host}:0");
        }
        settings.put("yarn.nodemanager.local-dirs", "${node.folder}/local");
        settings.put("yarn.nodemanager.log-dirs", "${node.folder}/logs");
        settings.put("yarn.nodemanager.resource.memory-mb", "4096");
        settings.put("yarn.scheduler.minimum-allocation-mb", "128");
        settings.put("yarn.nodemanager.vmem-check-enabled", "false");
        settings.put("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "100");
        return settings;
    }

    private void write(String file, Map<String, String> settings) throws IOException {
        String properties = settings.entrySet().stream()
                .map(setting -> "<property><name>" + setting.getKey() + "</name><value>" + setting.getValue()
                        + "</value></property>\n")
                .collect(Collectors.joining());
        Files.writeString(
                Files.createDirectories(conf()).resolve(file), "<configuration>\n" + properties + "</configuration>\n");
    }

    private void daemon(String name, String type, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        arguments.addAll(List.of(options));
        arguments.add(type);
        start(name, arguments);
    }

    /** Starts {@code spark-submit}, with the driver in a container: what it prints is there, too. */
    Process submit(Path application, String type, List<Path> jars, Map<String, String> settings, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        command.addAll(List.of("org.apache.spark.deploy.SparkSubmit", "--master", "yarn", "--deploy-mode", "cluster"));
        command.addAll(List.of("--jars", jars.stream().map(Path::toString).collect(Collectors.joining(","))));
        command.addAll(List.of("--class", type));
        settings.forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
        command.addAll(
                List.of("--conf", "spark.yarn.jars=" + local(spark.path().resolve("jars")) + "," + local(yarn())));
        command.addAll(List.of(
                "--conf", "spark.yarn.stagingDir=" + folder.resolve("staging").toUri()));
        command.add(application.toString());
        command.addAll(List.of(arguments));
        return start("submit", command);
    }

    /** Jars that each host has at the same path. */
    private static String local(Path jars) {
        return "local:" + jars + "/*";
    }

    private Process start(String name, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(List.of(
                "-cp",
                Stream.of(conf(), spark.path().resolve("jars/*"), yarn().resolve("*"))
                        .map(Path::toString)
                        .collect(Collectors.joining(File.pathSeparator))));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile());
        builder.environment().put("HADOOP_CONF_DIR", conf().toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("SPARK_LOCAL_IP", MANAGER);
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    /** What the drivers have printed. */
    List<String> printed() throws IOException {
        return lines("stdout");
    }

    /** What has happened, for who looks for the reason of a failure. */
    String log() {
        try {
            return Files.readString(folder.resolve("submit.log")) + String.join("\n", lines("stderr"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> lines(String name) throws IOException {
        List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(path -> path.endsWith(name)).toList()) {
                lines.addAll(Files.readAllLines(file));
            }
        }
        return lines;
    }

    /** NodeManagers take their containers along, and say so to the ResourceManager: it ends after them, or they wait for it. */
    @Override
    public void close() throws InterruptedException {
        for (int i = processes.size() - 1; i >= 0; i--) {
            processes.get(i).destroy();
            processes.get(i).waitFor();
        }
    }

    private Path conf() {
        return folder.resolve("conf");
    }

    /** YARN, and what Spark needs for it. */
    private static Path yarn() {
        return Path.of(System.getProperty("paritas.spark.yarn"));
    }
}
