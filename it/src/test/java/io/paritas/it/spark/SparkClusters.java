/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.cli.spark.ExecutorProcess;
import io.paritas.cli.spark.StandaloneCluster;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The clusters that all tests of a run share, because starting one takes seconds: three workers with two cores each, on
 * hosts of their own, or another size. One starts with the first test that wants it and ends after the last one.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final SparkClusters SPARK = new SparkClusters();
 * }</pre>
 */
final class SparkClusters implements BeforeAllCallback, AfterEachCallback {
    /** The tag of classes that have one of the orders below; {@link SharedApplicationsSuite} runs them. */
    static final String SHARED = "shared";

    /**
     * For {@code @Order}: classes whose sessions have the same settings, on a cluster of the same size, run one after the other, and
     * share an application. These have no settings of their own.
     */
    static final int PLAIN = 1;

    /** The order of {@link KryoIT}. */
    static final int KRYO = 2;

    /** The order of classes with {@link StragglersIT#CODED}. */
    static final int CODED = 3;

    /** The order of {@link LeftoversIT}, which ends the application of those. */
    static final int CODED_ENDS = 4;

    /** The order of classes with {@link CodedClusters#SETTINGS}. */
    static final int KEPT = 5;

    /** The order of classes with {@link CodedClusters#UNREPAIRED}. */
    static final int UNREPAIRED = 6;

    /** The order of classes with coded shuffles. */
    static final int SHUFFLED = 7;

    static final int WORKERS = 3;
    static final int CORES = 2;

    private final StandaloneCluster.Size size;
    private SharedSpark spark;

    SparkClusters() {
        this(new StandaloneCluster.Size(WORKERS, CORES, 512));
    }

    SparkClusters(StandaloneCluster.Size size) {
        this.size = size;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        spark = context.getRoot()
                .getStore(ExtensionContext.Namespace.create(SparkClusters.class))
                .getOrComputeIfAbsent(size, SharedSpark::start, SharedSpark.class);
    }

    /** A test that failed may have left executors frozen. */
    @Override
    public void afterEach(ExtensionContext context) {
        executors().forEach(ExecutorProcess::thaw);
    }

    /**
     * A session on the cluster, with all executors there. Sessions with the same settings share their executors, and have
     * their own temporary views and {@code spark.sql} settings; other settings end the application and start a new one.
     *
     * @param settings as for {@code spark-submit --conf}
     */
    SparkSession session(Map<String, String> settings) throws Exception {
        return spark.session(settings);
    }

    SparkSession session() throws Exception {
        return session(Map.of());
    }

    /** Ends the application, for a test that brings its own; the next session starts a new one. */
    void endApplication() throws Exception {
        SharedSpark.endApplication();
    }

    /** Of every application on the cluster, also of those that are submitted. */
    Map<String, String> settings() {
        return spark.settings();
    }

    StandaloneCluster cluster() {
        return spark.cluster();
    }

    List<ExecutorProcess> executors() {
        return cluster().executors();
    }

    ExecutorProcess executor(String id) {
        return cluster().executor(id);
    }

    /** The executor with that process id. */
    ExecutorProcess executor(long pid) {
        return executors().stream()
                .filter(executor -> executor.pid() == pid)
                .findAny()
                .orElseThrow(() -> new NoSuchElementException("no executor has process " + pid + ": " + executors()));
    }
}
