/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The private directory of one run: {@code state/} for the daemons' data, {@code logs/} for their logs.
 *
 * @param path readable by its owner only
 */
record Directory(Path path) {
    /** The system property that {@code log4j.properties} takes the log file's name from. */
    static final String LOG_PROPERTY = "paritas.log";

    /** Folders that Hadoop's HTTP servers need on the class path, but that the jar lacks. For metrics they may be empty. */
    private static final List<String> WEB_APPLICATIONS = List.of("hdfs", "datanode", "static");

    /** Creates a directory in the system's temporary one. */
    static Directory create() throws IOException {
        return createIn(Path.of(System.getProperty("java.io.tmpdir")));
    }

    /** Creates a directory in another one: all that is in it, or nothing. */
    static Directory createIn(Path parent) throws IOException {
        Path path = Files.createTempDirectory(parent, "paritas-quickstart-");
        try {
            return in(path);
        } catch (IOException | RuntimeException e) {
            try {
                delete(path);
            } catch (UncheckedIOException remains) {
                e.addSuppressed(remains);
            }
            throw e;
        }
    }

    /** Prepares an existing directory for a cluster. */
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

    /** The daemons' data; first on their class path. */
    Path state() {
        return path.resolve("state");
    }

    /** The logs, one file for each daemon. */
    Path logs() {
        return path.resolve("logs");
    }

    Path log4j() {
        return state().resolve("log4j.properties");
    }

    /** Sends the logs of Hadoop in this JVM to a file here. Must be called before the first logger is created. */
    void receiveLogOfThisJvm() {
        System.setProperty(LOG_PROPERTY, logs().resolve("client.log").toString());
        System.setProperty("log4j.configuration", log4j().toUri().toString());
    }

    /** Fails if less disk space than this is left. */
    void requireSpace(long bytes) throws IOException {
        long usable = Files.getFileStore(path).getUsableSpace();
        CheckFailed.require(
                usable >= bytes,
                "the cluster takes up to %s on disk, %s has %s left: name a smaller FILE, or another directory with"
                        + " PARITAS_OPTS=-Djava.io.tmpdir=...",
                Report.megabytes(bytes),
                path,
                Report.megabytes(usable));
    }

    /** Deletes the daemons' data. */
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
            throw new UncheckedIOException("cannot delete " + root, e);
        }
    }
}
