/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * HDFS with our coder beside its own in Java and in C: a {@link HdfsBenchmarkRun} for each JDK and each ISA-L, because a process loads
 * one. Each has a NameNode and ten DataNodes, writes a file by RS-6-3-1024k, rebuilds a unit, and reads with one and with three
 * DataNodes dead; the coders take turns. Prints Markdown.
 *
 * <pre>
 * ./mvnw -q -pl it -am test-compile dependency:build-classpath -Dmdep.outputFile=target/test.classpath
 * java -Dbench.libhadoop=… -Dbench.isals=…,… -cp it/target/test-classes:it/target/classes:$(cat it/target/test.classpath) \
 *     io.paritas.it.HdfsBenchmark
 * </pre>
 *
 * <p>Properties: {@code bench.libhadoop} (folder of libhadoop.so, such as {@code nativelib/Linux-amd64} of the jar
 * io.trino.hadoop:hadoop-apache:3.3.5-3; without it rs_native is left out), {@code bench.isals} (folders of libisal.so.2, one for each
 * version; by default where the system has it), {@code bench.javas} (homes of JDKs; this one), {@code bench.mib} (192, of the file), {@code
 * bench.rounds} (7), {@code bench.folder} (target/hdfs-benchmark: the blocks).
 */
final class HdfsBenchmark {
    private static final Path FOLDER = Path.of(System.getProperty("bench.folder", "target/hdfs-benchmark"));

    private HdfsBenchmark() {}

    public static void main(String... arguments) throws Exception {
        List<Path> javas = folders("bench.javas", "bin/java");
        List<Path> isals = folders("bench.isals", "libisal.so.2");
        Optional<Path> libhadoop =
                folders("bench.libhadoop", "libhadoop.so").stream().findFirst();
        for (Path java : javas.isEmpty() ? List.of(Path.of(System.getProperty("java.home"))) : javas) {
            if (isals.isEmpty()) {
                run(java, libhadoop, Optional.empty());
            }
            for (Path isal : isals) {
                run(java, libhadoop, Optional.of(isal));
            }
        }
    }

    private static List<Path> folders(String property, String file) {
        List<Path> folders = Arrays.stream(System.getProperty(property, "").split(",", -1))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder).toAbsolutePath())
                .toList();
        folders.stream().filter(folder -> !Files.exists(folder.resolve(file))).forEach(folder -> {
            throw new IllegalArgumentException(
                    property + " must name folders with " + file + " in them, got " + folder);
        });
        return folders;
    }

    private static void run(Path java, Optional<Path> libhadoop, Optional<Path> isal)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                java.resolve("bin/java").toString(),
                "-Xmx2g",
                "--add-modules=jdk.incubator.vector",
                "-XX:+IgnoreUnrecognizedVMOptions", // of which this is one before Java 22
                "--enable-native-access=ALL-UNNAMED",
                "-Dio.paritas.test.expectKernel=machine",
                "-Dtest.build.data=" + FOLDER.toAbsolutePath(),
                "-Dbench.mib=" + Integer.getInteger("bench.mib", 192),
                "-Dbench.rounds=" + Integer.getInteger("bench.rounds", 7)));
        if (Files.readString(java.resolve("release")).contains("jdk.incubator.foreign")) {
            command.add("--add-modules=jdk.incubator.foreign"); // of Java 17, for machine code
        }
        libhadoop.ifPresent(folder -> command.add("-Djava.library.path=" + folder));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), HdfsBenchmarkRun.class.getName()));
        System.out.printf(
                "%nJDK %s, ISA-L %s%n%n", java, isal.map(Path::toString).orElse("of the system"));
        ProcessBuilder process = new ProcessBuilder(command).inheritIO();
        isal.ifPresent(folder -> process.environment().put("LD_LIBRARY_PATH", folder.toString()));
        int status = process.start().waitFor();
        if (status != 0) {
            throw new IllegalStateException("the run ended with " + status + ": see above");
        }
    }
}
