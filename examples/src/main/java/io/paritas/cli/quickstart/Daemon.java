/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import io.paritas.cli.daemon.ServingLine;
import io.paritas.cli.jvm.KernelJava;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/** A NameNode or DataNode as a process on the loopback interface. */
final class Daemon {
    /** A small heap, and no performance data in the shared temporary directory. C2 stays on: vectors need it. */
    private static final List<String> JVM_OPTIONS =
            List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Djava.net.preferIPv4Stack=true");

    /** Why a process ended: the first line of an exception, or what a JVM says that cannot start. */
    private static final Pattern LAST_WORDS = Pattern.compile(
            "^[\\w.$]+(Exception|Error)\\b.*|(?<=^Error occurred during initialization of VM\n).+", Pattern.MULTILINE);

    private final String name;
    private final Process process;
    private final Path log;
    private final Path errors;
    private final CompletableFuture<String> serving;

    private Daemon(String name, Process process, Path log, Path errors) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.errors = errors;
        serving = CompletableFuture.supplyAsync(this::servingLine, Daemon::inThreadOfItsOwn);
    }

    private static void inThreadOfItsOwn(Runnable task) {
        Thread thread = new Thread(task, "wait for a daemon");
        thread.setDaemon(true);
        thread.start();
    }

    /** Starts the process and returns at once. */
    static Daemon start(String name, DaemonMain.Role role, Configuration settings, Directory directory)
            throws IOException {
        Path file = directory.state().resolve(name + ".xml");
        try (OutputStream out = Files.newOutputStream(file)) {
            settings.writeXml(out);
        }
        Path log = directory.logs().resolve(name + ".log");
        return start(
                name,
                new ProcessBuilder(command(role, file, log, directory))
                        .directory(directory.state().toFile()),
                log);
    }

    /** Starts a process that writes this log; its standard error goes into a file beside it. */
    static Daemon start(String name, ProcessBuilder process, Path log) throws IOException {
        Path errors = log.resolveSibling(name + ".err");
        return new Daemon(name, process.redirectError(errors.toFile()).start(), log, errors);
    }

    private static List<String> command(DaemonMain.Role role, Path settings, Path log, Directory directory) {
        return Stream.of(
                        Stream.of(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java"),
                        JVM_OPTIONS.stream(),
                        ServingLine.JVM_OPTIONS.stream(),
                        KernelJava.running().options().stream(),
                        Stream.of(
                                "-Djava.io.tmpdir=" + directory.state(),
                                "-Dlog4j.configuration=" + directory.log4j().toUri(),
                                "-D" + Directory.LOG_PROPERTY + "=" + log,
                                "-cp",
                                directory.state() + File.pathSeparator + System.getProperty("java.class.path"),
                                DaemonMain.class.getName(),
                                role.name().toLowerCase(Locale.ROOT),
                                settings.toString()))
                .flatMap(parts -> parts)
                .toList();
    }

    private String servingLine() {
        try {
            return ServingLine.await(process.inputReader(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Waits until the daemon serves.
     *
     * @throws CheckFailed if it ends instead, or takes longer
     */
    void awaitServing(Duration limit) throws InterruptedException, ExecutionException {
        try {
            String line = serving.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            CheckFailed.require(
                    !line.isEmpty(), "the %s ended while it started: %s; see %s", name, lastWords(), more());
        } catch (TimeoutException e) {
            throw new CheckFailed("the " + name + " must start within " + limit.toSeconds()
                    + " s, it did not: see whether the machine is busy, and " + more());
        }
    }

    private String lastWords() {
        return LAST_WORDS
                .matcher(lines(errors).collect(Collectors.joining("\n")))
                .results()
                .map(MatchResult::group)
                .reduce((first, next) -> next)
                .orElse("it did not say why");
    }

    /** The file that says more: a JVM that cannot start has no log. */
    private Path more() {
        return Files.exists(log) ? log : errors;
    }

    /** The address for clients. */
    InetSocketAddress address() {
        return address(0);
    }

    /** The address of its metrics. */
    InetSocketAddress http() {
        return address(1);
    }

    private InetSocketAddress address(int word) {
        return new InetSocketAddress(
                "127.0.0.1", Integer.parseInt(serving.join().split(" ", 2)[word]));
    }

    /** Returns the last line of its log with this text. */
    Optional<String> logged(String text) {
        return lines(log).filter(line -> line.contains(text)).reduce((first, next) -> next);
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException nothingLogged) {
            return Stream.empty();
        }
    }

    boolean alive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Kills the process with SIGKILL, and waits for its end. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** The name, for example {@code datanode-3}. */
    @Override
    public String toString() {
        return name;
    }
}
