/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A folder that Spark's launcher accepts as an installed Spark: {@code jars/} with symbolic links to the jars that Maven resolved,
 * and {@code conf/}.
 *
 * @param path the folder
 */
public record SparkHome(Path path) {
    /** The system property that names a folder with Spark's jars, or a file with its class path as Maven writes it. */
    private static final String CLASS_PATH = "paritas.spark.classpath";

    /** The jars of Paritas and its dependencies that Spark lacks. */
    private static final String PARITAS =
            "(paritas-(spark|hdfs)|onnxruntime|grpc-|opentelemetry-|perfmark-api|protobuf-java|tribuo-util-onnx|javacpp|openblas|pytorch).*\\.jar";

    /** The jars of the engine {@code gpu}. */
    private static final String GPU = "(paritas-gpu|jcuda).*\\.jar";

    private static final String CORE = "spark-core_2\\.13-4\\.2\\..*\\.jar";

    private static final String LOGGING = "log4j2.properties";

    /**
     * Creates a home from the jars that {@code -Dparitas.spark.classpath=PATH} names.
     *
     * @param path a folder, created if missing; links to other jars, as those of another Spark, go
     * @throws IllegalStateException if the property names no Spark
     */
    public static SparkHome create(Path path) throws IOException {
        SparkHome home = new SparkHome(path);
        Files.createDirectories(home.jars());
        Files.createDirectories(home.conf());
        List<Path> jars = resolved();
        home.deleteLinks(jars);
        for (Path jar : jars) {
            Path link = home.jars().resolve(jar.getFileName());
            if (!Files.exists(link)) {
                Files.deleteIfExists(link);
                Files.createSymbolicLink(link, jar.toAbsolutePath());
            }
        }
        try (InputStream in = SparkHome.class.getResourceAsStream(LOGGING)) {
            Files.write(home.conf().resolve(LOGGING), in.readAllBytes());
        }
        return home;
    }

    private void deleteLinks(List<Path> kept) throws IOException {
        Set<Path> names = kept.stream().map(Path::getFileName).collect(Collectors.toSet());
        try (DirectoryStream<Path> others = Files.newDirectoryStream(
                jars(), file -> Files.isSymbolicLink(file) && !names.contains(file.getFileName()))) {
            for (Path link : others) {
                Files.deleteIfExists(link);
            }
        }
    }

    private static List<Path> resolved() throws IOException {
        String path = System.getProperty(CLASS_PATH);
        if (path == null) {
            throw new IllegalStateException(
                    "the class path of Spark must be named by -D" + CLASS_PATH + "=PATH, it is not: use bin/paritas");
        }
        return resolve(Path.of(path));
    }

    /** Returns the jars of Spark that a folder has, or that a file names. */
    static List<Path> resolve(Path path) throws IOException {
        if (Files.isRegularFile(path)) {
            return Stream.of(Files.readString(path).strip().split(File.pathSeparator, -1))
                    .map(Path::of)
                    .toList();
        }
        List<Path> jars = new ArrayList<>();
        if (Files.isDirectory(path)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(path, "*.jar")) {
                files.forEach(jars::add);
            }
        }
        if (jars.stream().noneMatch(jar -> jar.getFileName().toString().matches(CORE))) {
            throw new IllegalStateException(
                    "this takes Spark 4.2 with Scala 2.13, no spark-core_2.13-4.2.*.jar is in " + path
                            + ": set SPARK_HOME to such a Spark, or unpack paritas-VERSION-spark.tar.gz beside bin/paritas");
        }
        return jars;
    }

    /**
     * Returns the jars of Paritas and of its dependencies that Spark lacks, from this JVM's class path: for {@code spark.jars} or
     * {@code --jars}.
     */
    public static List<Path> paritas() {
        return paritas(System.getProperty("java.class.path"));
    }

    static List<Path> paritas(String classPath) {
        return named(PARITAS, classPath);
    }

    /**
     * Returns the jars of {@link #paritas()} and those of the engine {@code gpu}, from this JVM's class path. Where there is no NVIDIA
     * driver, the engine only says so to those who ask for it.
     */
    public static List<Path> withGpu() {
        return withGpu(System.getProperty("java.class.path"));
    }

    static List<Path> withGpu(String classPath) {
        return named(PARITAS + "|" + GPU, classPath);
    }

    private static List<Path> named(String pattern, String classPath) {
        return Stream.of(classPath.split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(path -> path.getFileName().toString().matches(pattern))
                .distinct()
                .toList();
    }

    /**
     * Returns the jar with the programs for {@code spark-submit}, from this JVM's class path.
     *
     * @throws IllegalStateException if the class path has only its classes
     */
    public static Path examples() {
        Path classes = Installation.ownClasses();
        if (!Files.isRegularFile(classes)) {
            throw new IllegalStateException("spark-submit wants a jar, the programs are in " + classes
                    + ": put paritas-examples-*.jar on the class path instead, as bin/paritas does");
        }
        return classes;
    }

    Path jars() {
        return path.resolve("jars");
    }

    Path conf() {
        return path.resolve("conf");
    }

    /** Returns the class path of a JVM: the settings of logging, then Spark. */
    String classPath() {
        return conf() + File.pathSeparator + jars().resolve("*");
    }

    /** Returns the variables that Spark's own start scripts set. */
    Map<String, String> environment() {
        return Map.of("SPARK_HOME", path.toString(), "SPARK_SCALA_VERSION", "2.13");
    }

    /** Returns the processes on this machine that run from this home. */
    List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").contains(path.toString()))
                .toList();
    }
}
