/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import io.paritas.cli.daemon.ServingLine;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * The private folder of a cluster, with a Spark home and all files of its processes, and the command lines of these processes. They
 * share a secret that no command line shows.
 *
 * @param path readable by its owner only
 * @param home the Spark home in it
 * @param secret by which the processes of this cluster authenticate each other
 */
record Installation(Path path, SparkHome home, String secret) {
    private static final String SECRET_VARIABLE = "_SPARK_AUTH_SECRET";
    private static final String DRIVER_OPTIONS = "spark.driver.extraJavaOptions";

    /**
     * Fast to start and small, without performance data in the shared temporary directory. A young executor computes less if methods are
     * compiled after five times as many calls: half of what it computed was compiling.
     */
    static final String LIGHT_JVM =
            "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=5 -XX:-UsePerfData";

    /** The setting with the jars that executors have on their class path, after Spark's. */
    static final String JARS = "spark.executorEnv.SPARK_DIST_CLASSPATH";

    /** Creates a folder in the system's temporary one. */
    static Installation create() throws IOException {
        return create(Path.of(System.getProperty("java.io.tmpdir")));
    }

    /** Creates a folder in another one, or nothing. */
    static Installation create(Path parent) throws IOException {
        Path path = Files.createTempDirectory(parent, "paritas-spark-");
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        Installation installation = new Installation(
                path, new SparkHome(path.resolve("home")), HexFormat.of().formatHex(secret));
        try {
            for (String folder : List.of("logs", "work", "scratch", "temporary")) {
                Files.createDirectory(path.resolve(folder));
            }
            SparkHome.create(installation.home().path());
        } catch (IOException | RuntimeException e) {
            installation.delete();
            throw e;
        }
        return installation;
    }

    /** The folder where executors run and log, with a folder for each application. */
    Path work() {
        return path.resolve("work");
    }

    /** The folder of tables, as Hadoop takes paths: without escapes. */
    String warehouse() {
        return "file:" + path.resolve("warehouse");
    }

    Path log(String process) {
        return path.resolve("logs").resolve(process + ".log");
    }

    /** Returns the settings of every process of the cluster, without the secret. */
    Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("spark.authenticate", "true");
        settings.put("spark.local.dir", path.resolve("scratch").toString());
        settings.put("spark.master.rest.enabled", "false");
        // Before the options that an application has.
        settings.put("spark.executor.defaultJavaOptions", quoted(temporaryFolder()));
        return settings;
    }

    /** Returns one word of a setting with options, which Spark splits nearly as a shell does. */
    private static String quoted(String option) {
        return '"' + option.replaceAll("[\"\\\\]", "\\\\$0") + '"';
    }

    /** Returns the JVM's options of a driver with these settings: those that they name, or light ones. */
    static List<String> driverOptions(Map<String, String> settings) {
        return words(settings.getOrDefault(DRIVER_OPTIONS, LIGHT_JVM));
    }

    private static List<String> words(String text) {
        return Stream.of(text.strip().split("\\s+", -1))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    /** Returns a daemon's command line up to the main class: Java with Spark and the classes of this package. */
    List<String> daemon(String heap) {
        List<String> options = Stream.concat(words(LIGHT_JVM).stream(), ServingLine.JVM_OPTIONS.stream())
                .toList();
        return java(heap, options, home.classPath() + File.pathSeparator + ownClasses());
    }

    /**
     * Returns the same for {@code spark-submit}, without the classes of this package: the application has a class loader of its own.
     *
     * @param settings of the application, which may name the JVM's options, and {@link #JARS}
     */
    List<String> submit(String heap, Map<String, String> settings) {
        String jars = settings.containsKey(JARS) ? File.pathSeparator + settings.get(JARS) : "";
        return java(heap, driverOptions(settings), home.classPath() + jars);
    }

    private List<String> java(String heap, List<String> options, String classPath) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.add(heap);
        command.addAll(options);
        command.add(temporaryFolder());
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        settings().forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.addAll(List.of("-cp", classPath));
        return command;
    }

    /** Returns the option that keeps native libraries, which killed processes leave behind, in this folder. */
    private String temporaryFolder() {
        return "-Djava.io.tmpdir=" + path.resolve("temporary");
    }

    /** Returns the folder or jar of this package. */
    static Path ownClasses() {
        try {
            return Path.of(Installation.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("these classes have no path: " + e.getMessage(), e);
        }
    }

    /** Returns a process that runs in this folder and has the secret. */
    ProcessBuilder process(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(path.toFile());
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(variable -> variable.startsWith("SPARK_"));
        environment.putAll(home.environment());
        environment.put(SECRET_VARIABLE, secret);
        return builder;
    }

    /** Links jars into a folder, and returns it: the name of each would make a command line that {@link ProcessHandle} cannot show. */
    Path link(List<Path> jars) throws IOException {
        Path folder = Files.createDirectories(path.resolve("jars"));
        for (Path jar : jars) {
            Path link = folder.resolve(jar.getFileName());
            if (!Files.exists(link)) {
                Files.createSymbolicLink(link, jar.toAbsolutePath());
            }
        }
        return folder;
    }

    private void copyLogs(Path into) {
        // Not scratch, whose files may still be being deleted.
        copyLogs(path.resolve("logs"), into);
        copyLogs(work(), into);
    }

    private void copyLogs(Path from, Path into) {
        Path copies = into.resolve(path.getFileName());
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Installation::isLog).toList()) {
                Path copy = copies.resolve(path.relativize(file));
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot copy the logs of " + from + " to " + copies, e);
        }
    }

    private static boolean isLog(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".log") || name.equals("stdout") || name.equals("stderr");
    }

    /** Deletes everything, after copying the logs into a new folder below another one, if one is named. */
    void delete(Optional<Path> logs) {
        try {
            logs.ifPresent(this::copyLogs);
        } finally {
            delete();
        }
    }

    /** Deletes everything. Some files may be gone: processes that were just killed delete files of their own. */
    void delete() {
        try {
            Files.walkFileTree(path, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                    return failure instanceof NoSuchFileException
                            ? FileVisitResult.CONTINUE
                            : super.visitFileFailed(file, failure);
                }

                @Override
                public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
                    Files.deleteIfExists(folder);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + path, e);
        }
    }
}
