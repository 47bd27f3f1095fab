/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.cli.spark.SparkHome;
import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.it.Await;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockManagerId;
import scala.jdk.javaapi.CollectionConverters;

/** A cluster, and the one application on it: a JVM has room for one SparkContext. */
public final class SharedSpark implements AutoCloseable {
    /** Whose application runs. */
    private static SharedSpark running;

    private static final String TESTING = "(junit-|opentest4j|assertj|paritas-examples).*\\.jar";

    private final StandaloneCluster cluster;
    private final int executors;
    private SparkSession application;
    private Map<String, String> current;
    /** The executors that have worked already. */
    private Set<String> known = Set.of();

    private SharedSpark(StandaloneCluster cluster, int executors) {
        this.cluster = cluster;
        this.executors = executors;
    }

    static SharedSpark start(StandaloneCluster.Size size) {
        try {
            return new SharedSpark(StandaloneCluster.start(size), size.workers());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the cluster starts", e);
        }
    }

    StandaloneCluster cluster() {
        return cluster;
    }

    SparkSession session(Map<String, String> wanted) throws Exception {
        boolean reusable = application != null && !application.sparkContext().isStopped() && wanted.equals(current);
        if (!reusable) {
            endApplication();
            running = this;
            application = SparkSession.builder()
                    .appName("paritas")
                    .config(Map.copyOf(settings()))
                    .config(Map.copyOf(withJars(cluster)))
                    .config(Map.copyOf(wanted))
                    .getOrCreate();
            current = Map.copyOf(wanted);
        }
        awaitExecutors(executors);
        return application.newSession();
    }

    Map<String, String> settings() {
        Map<String, String> all = new HashMap<>(cluster.settings());
        all.putAll(SparkArchive.settings(cluster));
        return all;
    }

    /** Settings of an application, by which its executors have the same jars on their class path. */
    static Map<String, String> withJars(StandaloneCluster cluster) throws IOException {
        return cluster.withJars(jarFiles().toList());
    }

    /** {@code spark.jars}, of which each executor makes copies, as it does where users name ours. */
    public static String jars() {
        return jarFiles().map(jar -> "local:" + jar).collect(Collectors.joining(","));
    }

    /** Paritas, these tests, and what the static fields of a test class need, for a lambda in it brings the whole class along. */
    private static Stream<Path> jarFiles() {
        Stream<Path> testing = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(path -> path.getFileName().toString().matches(TESTING));
        return Stream.of(SparkHome.paritas().stream(), testing, Stream.of(tests()))
                .flatMap(paths -> paths);
    }

    /** The jar with these tests. */
    static Path tests() {
        return Path.of(System.getProperty("paritas.spark.tests"));
    }

    /** Ends the application that runs, of whichever cluster, and waits until its executors have ended. */
    static void endApplication() throws Exception {
        if (running != null) {
            running.stop();
            running = null;
        }
    }

    private void stop() throws Exception {
        if (application != null) {
            application.stop();
            application = null;
            known = Set.of();
            Await.until("the executors have ended", () -> cluster.executors().isEmpty(), cluster::executors);
        }
    }

    /** Until the scheduler has just those executors that run: no dead one that it has not missed, no new one to come. */
    private void awaitExecutors(int count) throws Exception {
        Await.until(
                count + " executors run and are registered",
                () -> ids().size() == count && ids().equals(registered()) && ids().equals(storing()),
                () -> ids() + " run, " + registered() + " are registered, " + storing() + " keep blocks");
        if (!ids().equals(known)) {
            Await.until("all of " + ids() + " get tasks", () -> working().equals(ids()), this::working);
            known = ids();
        }
    }

    private Set<String> working() {
        return working(application, executors);
    }

    /** Those that get some of many short tasks: an executor that has just registered gets none until it has said that it is ready. */
    public static Set<String> working(SparkSession application, int executors) {
        int tasks = 8 * executors;
        return Set.copyOf(new JavaSparkContext(application.sparkContext())
                .parallelize(Collections.nCopies(tasks, 50), tasks)
                .map(millis -> {
                    Thread.sleep(millis);
                    return SparkEnv.get().executorId();
                })
                .collect());
    }

    private Set<String> ids() {
        return cluster.executors().stream().map(ExecutorProcess::id).collect(Collectors.toSet());
    }

    private Set<String> registered() {
        return Set.copyOf(CollectionConverters.asJava(application.sparkContext().getExecutorIds()));
    }

    private static Set<String> storing() {
        return CollectionConverters.asJava(
                        SparkEnv.get().blockManager().master().getMemoryStatus())
                .keySet()
                .stream()
                .filter(manager -> !manager.isDriver())
                .map(BlockManagerId::executorId)
                .collect(Collectors.toSet());
    }

    @Override
    public void close() throws Exception {
        try (cluster) {
            stop();
        }
    }
}
