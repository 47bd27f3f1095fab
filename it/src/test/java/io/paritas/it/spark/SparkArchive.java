/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.cli.spark.SparkHome;
import io.paritas.cli.spark.StandaloneCluster;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spark's classes, ready to be mapped by the JVMs of executors: to load and verify each class is half of what an executor computes in
 * a test. A JVM whose class path or version is another one ignores the archive. It is made by a process of its own, in some twenty
 * seconds, and stays in {@code target} for later runs.
 */
final class SparkArchive {
    private static final Logger LOG = LoggerFactory.getLogger(SparkArchive.class);
    private static final Path FOLDER = Path.of("target", "spark-archive").toAbsolutePath();
    private static final String OPTIONS = "spark.executor.extraJavaOptions";

    /** At another address, as is usual, all pages of an archive are copied and corrected: most of a second in each JVM. */
    private static final String MAPPED_WHERE_IT_WAS = "-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0";

    private SparkArchive() {}

    /** What executors of a cluster's application are to be started with. */
    static Map<String, String> settings(StandaloneCluster cluster) {
        try {
            Path archive = archive();
            Map<String, String> settings = new HashMap<>();
            if (Files.exists(archive)) {
                // A folder with files in it cannot be on the class path of an archive: the settings of logging have
                // another way.
                settings.put("spark.executorEnv.SPARK_CONF_DIR", empty().toString());
                settings.put(
                        OPTIONS,
                        String.join(
                                " ",
                                cluster.settings().get(OPTIONS),
                                "-XX:SharedArchiveFile=" + archive,
                                MAPPED_WHERE_IT_WAS,
                                "-Dlog4j2.configurationFile="
                                        + cluster.folder().resolve("home/conf/log4j2.properties")));
            }
            return settings;
        } catch (IOException e) {
            throw new IllegalStateException("the archive of Spark's classes cannot be made: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the archive of Spark's classes is made", e);
        }
    }

    /** Made if it is missing, while other JVMs wait. */
    private static synchronized Path archive() throws IOException, InterruptedException {
        String classPath = Files.readString(Path.of(System.getProperty("paritas.spark.classpath")));
        String key = classPath + System.getProperty("java.home") + System.getProperty("java.vm.version");
        Files.createDirectories(empty());
        UUID name = UUID.nameUUIDFromBytes(key.getBytes(StandardCharsets.UTF_8));
        Path archive = FOLDER.resolve(name + ".jsa");
        try (FileChannel lock =
                        FileChannel.open(FOLDER.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock ignored = lock.lock()) {
            if (!Files.exists(archive)) {
                make(archive, FOLDER.resolve(name + "-home"));
            }
        }
        return archive;
    }

    private static void make(Path archive, Path folder) throws IOException, InterruptedException {
        SparkHome home = SparkHome.create(folder);
        Path unfinished = FOLDER.resolve("unfinished.jsa");
        Path log = FOLDER.resolve("archive.log");
        Files.deleteIfExists(unfinished);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(
                "-XX:ArchiveClassesAtExit=" + unfinished,
                "-Dlog4j2.configurationFile=" + home.path().resolve("conf/log4j2.properties")));
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        command.addAll(List.of("-cp", classPath(home)));
        command.addAll(List.of("org.apache.spark.deploy.SparkSubmit", "--class", ArchivedProgram.class.getName()));
        command.addAll(
                List.of(SharedSpark.tests().toString(), FOLDER.resolve("table").toString()));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().keySet().removeIf(variable -> variable.startsWith("SPARK_"));
        builder.environment().putAll(Map.of("SPARK_HOME", home.path().toString(), "SPARK_SCALA_VERSION", "2.13"));
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        int status = builder.start().waitFor();
        if (status != 0) {
            throw new IllegalStateException(
                    "the program that makes " + archive + " must end well, it ended with " + status + ": see " + log);
        }
        if (Files.exists(unfinished)) {
            Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
        } else {
            LOG.warn("this JVM archives no classes: executors load each, see {}", log);
        }
    }

    /** As Spark's launcher makes it for an executor. */
    private static String classPath(SparkHome home) throws IOException {
        Path jars = home.path().resolve("jars");
        try (Stream<Path> all = Files.list(jars)) {
            Stream<Path> first = all.filter(jar -> jar.getFileName().toString().startsWith("slf4j-api-"));
            return Stream.of(Stream.of(empty()), first, Stream.of(jars.resolve("*")))
                    .flatMap(paths -> paths)
                    .map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }

    private static Path empty() {
        return FOLDER.resolve("empty");
    }
}
