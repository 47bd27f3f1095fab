/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.rpc.RpcTimeout;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.concurrent.duration.Duration;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.FutureConverters;

/**
 * Executors that a cluster manager ends one at a time, and that are there until they leave. It answers as Spark's schedulers do: whoever
 * has left or is ending already is not among those that it ends, and what it throws if the manager does not answer is checked, but not
 * declared. Thread-safe.
 */
final class TestCluster implements ExecutorAllocationClient {
    private static final RpcTimeout PATIENCE = new RpcTimeout(Duration.create(60, "s"), "spark.rpc.askTimeout");

    private final Set<String> executors = ConcurrentHashMap.newKeySet();
    private final Set<String> ending = ConcurrentHashMap.newKeySet();
    private final Function<String, CompletableFuture<Boolean>> manager;

    /** @param manager answers whether it ends an executor */
    TestCluster(Set<String> executors, Function<String, CompletableFuture<Boolean>> manager) {
        this.executors.addAll(executors);
        this.manager = manager;
    }

    /** An executor's process comes to its end. */
    void leave(String executor) {
        executors.remove(executor);
    }

    @Override
    public Seq<String> getExecutorIds() {
        return toScala(List.copyOf(executors));
    }

    @Override
    public boolean isExecutorActive(String executor) {
        return executors.contains(executor) && !ending.contains(executor);
    }

    @Override
    public Seq<String> killExecutors(Seq<String> wanted, boolean fewer, boolean countFailures, boolean force) {
        String executor = wanted.head();
        boolean ends = isExecutorActive(executor)
                && ending.add(executor)
                && PATIENCE.awaitResult(FutureConverters.asScala(manager.apply(executor)));
        return toScala(ends ? List.of(executor) : List.of());
    }

    private static Seq<String> toScala(List<String> names) {
        return CollectionConverters.asScala(names).toList();
    }

    @Override
    public boolean requestTotalExecutors(
            Map<Object, Object> wanted, Map<Object, Object> tasks, Map<Object, Map<String, Object>> places) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean requestExecutors(int more) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean decommissionExecutorsOnHost(String host) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean killExecutorsOnHost(String host) {
        throw new UnsupportedOperationException();
    }
}
