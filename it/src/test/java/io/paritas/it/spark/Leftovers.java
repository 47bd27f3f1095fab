/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.cli.spark.StandaloneCluster;
import io.paritas.inference.spark.driver.Coordinator;
import io.paritas.it.Await;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.SparkSession;
import scala.jdk.javaapi.CollectionConverters;

/** What queries must not leave behind: the driver's books, blocks, and threads that predict. */
final class Leftovers {
    private static final int SLOTS = SparkClusters.WORKERS * SparkClusters.CORES;

    private Leftovers() {}

    /** Waits until nothing is left of what has run. */
    static void awaitNone(SparkSession session) throws Exception {
        Await.until(
                "the coordinator has forgotten all executions",
                () -> Coordinator.running().orElseThrow().executions() == 0,
                () -> Coordinator.running().orElseThrow().executions());
        Await.until("no predictions are kept", () -> blocks().isEmpty(), Leftovers::blocks);
        Await.until("no model runs", () -> busy(session).isEmpty(), () -> busy(session));
    }

    /** Waits until nothing is left of an application that has ended: threads of this JVM, and processes of the cluster. */
    static void awaitNone(StandaloneCluster cluster) throws Exception {
        Await.until("the driver's threads have ended", () -> threads().isEmpty(), Leftovers::threads);
        Await.until(
                "a master and workers are all that runs",
                () -> processes(cluster).size() == 1 + SparkClusters.WORKERS,
                () -> processes(cluster));
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("paritas-"))
                .toList();
    }

    private static List<String> processes(StandaloneCluster cluster) {
        return ProcessHandle.allProcesses()
                .map(process -> process.info().commandLine().orElse(""))
                .filter(command -> command.contains(cluster.folder().toString()))
                .toList();
    }

    /** The blocks of RDDs, as the driver knows them. */
    static List<String> blocks() {
        return Arrays.stream(SparkEnv.get().blockManager().master().getStorageStatus())
                .flatMap(status -> CollectionConverters.asJava(status.rddBlocks()).keySet().stream())
                .map(Object::toString)
                .toList();
    }

    private static List<String> busy(SparkSession session) {
        return new JavaSparkContext(session.sparkContext())
                .parallelize(IntStream.range(0, SLOTS).boxed().toList(), SLOTS)
                .flatMap(new BusyThreads())
                .collect();
    }

    /** An executor's threads of ours that are not waiting for work. */
    private static final class BusyThreads implements FlatMapFunction<Integer, String>, Serializable {
        private static final long serialVersionUID = 1;

        @Override
        public java.util.Iterator<String> call(Integer slot) {
            return Thread.getAllStackTraces().entrySet().stream()
                    .filter(BusyThreads::isBusy)
                    .flatMap(entry -> Stream.of(entry.getKey() + " " + Arrays.toString(entry.getValue())))
                    .iterator();
        }

        private static boolean isBusy(Map.Entry<Thread, StackTraceElement[]> thread) {
            return thread.getKey().getName().startsWith("paritas-")
                    && Arrays.stream(thread.getValue())
                            .anyMatch(frame -> frame.getClassName().startsWith("io.paritas."));
        }
    }
}
