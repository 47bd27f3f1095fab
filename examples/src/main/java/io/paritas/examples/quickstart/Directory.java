/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.quickstart;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The private directory of one run: {@code state/} holds what the daemons store, {@code logs/} what they log.
 *
 * @param path readable by its owner only
 */
record Directory(Path path) {
    /** The system property that {@code log4j.properties} takes the log file's name from. */
    static final String LOG_PROPERTY = "paritas.log";

    /** Hadoop's HTTP servers want these on the class path. In the jar they are not, and for metrics they may be empty. */
    private static final List<String> WEB_APPLICATIONS = List.of("hdfs", "datanode", "static");

    /** A new directory in the system's temporary one. */
    static Directory create() throws IOException {
        return in(Files.createTempDirectory("paritas-quickstart-"));
    }

    /** An existing directory, with what a cluster needs in it. */
    static Directory in(Path path) throws IOException {
        Directory directory = new Directory(path);
        Files.createDirectories(directory.state());
        Files.createDirectories(directory.logs());
        for (String application : WEB_APPLICATIONS) {
            Files.createDirectories(directory.state().resolve("webapps").resolve(application));
        }
        for (String file : List.of("log4j.properties", "hadoop-metrics2.properties")) {
            try (InputStream in = Directory.class.getResourceAsStream(file)) {
                Files.copy(in, directory.state().resolve(file));
            }
        }
        return directory;
    }

    /** What the daemons store; first on their class path. */
    Path state() {
        return path.resolve("state");
    }

    /** One file per daemon. */
    Path logs() {
        return path.resolve("logs");
    }

    Path log4j() {
        return state().resolve("log4j.properties");
    }

    /** Sends what Hadoop logs in this JVM to a file here. Before the first logger is made. */
    void receiveLogOfThisJvm() {
        System.setProperty(LOG_PROPERTY, logs().resolve("client.log").toString());
        System.setProperty("log4j.configuration", log4j().toUri().toString());
    }

    /** Fails if the disk has less space than this left. */
    void requireSpace(long bytes) throws IOException {
        long usable = Files.getFileStore(path).getUsableSpace();
        CheckFailed.require(
                usable >= bytes,
                "The cluster takes up to %s on disk; %s has %s left. Name a smaller FILE, or another directory with"
                        + " PARITAS_OPTS=-Djava.io.tmpdir=...",
                Report.megabytes(bytes),
                path,
                Report.megabytes(usable));
    }

    /** Deletes what the daemons stored. */
    void deleteState() {
        delete(state());
    }

    /** Deletes everything. */
    void delete() {
        delete(path);
    }

    private static void delete(Path root) {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot delete " + root, e);
        }
    }
}
