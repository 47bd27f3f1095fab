/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.spark;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What Spark's launcher takes for an installed Spark: a folder with {@code jars/}, symbolic links to those that Maven
 * resolved, and {@code conf/}.
 *
 * @param path the folder
 */
public record SparkHome(Path path) {
    /** The system property that names the file with Spark's class path, {@code spark-home/target/spark.classpath}. */
    private static final String CLASS_PATH_FILE = "paritas.spark.classpath";

    /** What Paritas brings that Spark has not. */
    private static final String PARITAS =
            "(paritas-(spark|hdfs)|onnxruntime|tribuo-util-onnx|javacpp|openblas|pytorch).*\\.jar";

    private static final String LOGGING = "log4j2.properties";

    /**
     * Makes a home of the class path that {@code -Dparitas.spark.classpath=FILE} names.
     *
     * @param path a folder that is made if there is none; links that are there already stay
     * @throws IllegalStateException if the property is not set
     */
    public static SparkHome create(Path path) throws IOException {
        SparkHome home = new SparkHome(path);
        Files.createDirectories(home.jars());
        Files.createDirectories(home.conf());
        for (Path jar : resolved()) {
            Path link = home.jars().resolve(jar.getFileName());
            if (!Files.exists(link)) {
                Files.deleteIfExists(link);
                Files.createSymbolicLink(link, jar);
            }
        }
        try (InputStream in = SparkHome.class.getResourceAsStream(LOGGING)) {
            Files.write(home.conf().resolve(LOGGING), in.readAllBytes());
        }
        return home;
    }

    private static List<Path> resolved() throws IOException {
        String file = System.getProperty(CLASS_PATH_FILE);
        if (file == null) {
            throw new IllegalStateException("Spark's class path must be named by -D" + CLASS_PATH_FILE
                    + "=FILE, it is not: build spark-home and name its target/spark.classpath");
        }
        String classPath = Files.readString(Path.of(file)).strip();
        return Stream.of(classPath.split(File.pathSeparator, -1)).map(Path::of).toList();
    }

    /**
     * Paritas and what it needs beside Spark: those jars of this JVM's class path. For {@code spark.jars}, or {@code --jars}.
     */
    public static List<Path> paritas() {
        return paritas(System.getProperty("java.class.path"));
    }

    static List<Path> paritas(String classPath) {
        return Stream.of(classPath.split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(path -> path.getFileName().toString().matches(PARITAS))
                .toList();
    }

    /**
     * The jar with the programs for {@code spark-submit}, of this JVM's class path.
     *
     * @throws IllegalStateException if it is not there, only its classes are
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

    /** For a JVM: the settings of logging first, then Spark. */
    String classPath() {
        return conf() + File.pathSeparator + jars().resolve("*");
    }

    /** What Spark's own start scripts set. */
    Map<String, String> environment() {
        return Map.of("SPARK_HOME", path.toString(), "SPARK_SCALA_VERSION", "2.13");
    }
}
