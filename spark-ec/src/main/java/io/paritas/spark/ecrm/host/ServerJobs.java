/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * The tasks that are servers, or wait to become one. Each is a Spark job, so that it can be started where there is no other one:
 * Spark puts the tasks of one job where it likes, and what is lost together cannot recover each other. A task that comes up elsewhere, beside
 * another one, can be moved. Not thread-safe.
 */
final class ServerJobs {
    private static final Logger LOG = LoggerFactory.getLogger(ServerJobs.class);
    /** Milliseconds until a task that has ended is started again. */
    private static final long PAUSE = 500;
    /** The same, until an executor is tried again that has failed; and the longest, if it had no slot. */
    private static final long SHUNNED = 60_000;

    /** @param pause until it is tried again, longer each time */
    private record Full(long until, long pause) {}

    /** An executor that runs. */
    private record Executor(String id, String host) {
        /** As Spark wants preferred locations. */
        String location() {
            return "executor_" + host + "_" + id;
        }
    }

    private static final class Slot {
        int task = -1;
        JavaFutureAction<Void> job;
        long startAt;
        /** Where it is, or is to be; empty if that is for Spark to say. */
        String executor = "";

        boolean arrived;
    }

    private final JavaSparkContext spark;
    private final ServerTask server;
    private final List<Slot> slots = new ArrayList<>();
    /** By executor that a server has failed on: until when. */
    private final Map<String, Long> failed = new HashMap<>();
    /** By executor that had no slot when a task was to start there. */
    private final Map<String, Full> full = new HashMap<>();

    private List<Executor> running = List.of();
    private long looked = Long.MIN_VALUE / 2;
    private int most;
    private int tasks;

    ServerJobs(JavaSparkContext spark, ServerTask server, int count) {
        this.spark = spark;
        this.server = server;
        IntStream.range(0, count).forEach(slot -> slots.add(new Slot()));
    }

    /** Starts those that do not run. */
    void keep(long now) {
        if (spark.sc().isStopped()) {
            return;
        }
        look(now);
        for (Slot slot : slots) {
            if (slot.job != null && slot.job.isDone()) {
                LOG.info("Task {} of the parameter servers has ended", slot.task);
                slot.job = null;
                slot.executor = "";
                slot.startAt = now + PAUSE;
            }
            if (slot.job == null && now >= slot.startAt) {
                start(slot, now);
            }
        }
    }

    private void look(long now) {
        if (now - looked >= PAUSE) {
            looked = now;
            running =
                    CollectionConverters.asJava(
                                    SparkEnv.get().blockManager().master().getMemoryStatus())
                            .keySet()
                            .stream()
                            .filter(manager -> !manager.isDriver())
                            .map(manager -> new Executor(manager.executorId(), manager.host()))
                            .toList();
            most = Math.max(most, running.size());
            failed.values().removeIf(until -> now >= until);
        }
    }

    private void start(Slot slot, long now) {
        Optional<Executor> free = free(now);
        slot.task = tasks++;
        slot.arrived = false;
        slot.executor = free.map(Executor::id).orElse("");
        List<String> locations = free.map(Executor::location).map(List::of).orElse(List.of());
        ClassTag<Integer> type = ClassTag$.MODULE$.apply(Integer.class);
        Tuple2<Integer, Seq<String>> partition = new Tuple2<>(slot.task, sequence(locations));
        slot.job = JavaRDD.fromRDD(spark.sc().makeRDD(sequence(List.of(partition)), type), type)
                .foreachPartitionAsync(server);
    }

    private static <T> Seq<T> sequence(List<T> elements) {
        return CollectionConverters.asScala(elements).toSeq();
    }

    /** An executor where none of the tasks is, nor is to be, and that may have a slot. */
    private Optional<Executor> free(long now) {
        return untaken()
                .filter(executor -> !full.containsKey(executor.id())
                        || now >= full.get(executor.id()).until())
                .findFirst();
    }

    /** Without those that a server has just failed on, which Spark may not have missed yet. */
    private Stream<Executor> healthy() {
        return running.stream().filter(executor -> !failed.containsKey(executor.id()));
    }

    private Stream<Executor> untaken() {
        Set<String> taken = slots.stream().map(slot -> slot.executor).collect(Collectors.toSet());
        return healthy().filter(executor -> !taken.contains(executor.id()));
    }

    /** Whether a task is one of those that are to run, and not what is left of one that was started again. */
    boolean isCurrent(int task) {
        return find(task).isPresent();
    }

    private Optional<Slot> find(int task) {
        return slots.stream()
                .filter(slot -> slot.task == task && slot.job != null)
                .findFirst();
    }

    /** A task says where it is. */
    void arrived(int task, String executor, long now) {
        find(task).ifPresent(slot -> {
            if (!slot.executor.isEmpty() && !slot.executor.equals(executor)) {
                long pause = full.containsKey(slot.executor)
                        ? Math.min(SHUNNED, 2 * full.get(slot.executor).pause())
                        : PAUSE;
                full.put(slot.executor, new Full(now + pause, pause));
            }
            full.remove(executor);
            slot.arrived = true;
            slot.executor = executor;
        });
    }

    /** Starts a task again, elsewhere: nothing is heard of it any more. */
    void failed(int task, long now) {
        find(task).ifPresent(slot -> {
            failed.put(slot.executor, now + SHUNNED);
            restart(slot, now);
        });
    }

    private void restart(Slot slot, long now) {
        slot.job.cancel(true);
        start(slot, now);
    }

    /** Moves one of some tasks to an executor that has none; false if there is no need, or no such executor. */
    boolean spread(Set<Integer> waiting, long now) {
        Optional<Slot> crowded = slots.stream()
                .filter(slot -> waiting.contains(slot.task) && isCrowded(slot))
                .findFirst();
        if (crowded.isEmpty() || free(now).isEmpty()) {
            return false;
        }
        LOG.info("Task {} is moved: executor {} has another one", crowded.get().task, crowded.get().executor);
        restart(crowded.get(), now);
        return true;
    }

    private boolean isCrowded(Slot slot) {
        return slots.stream().anyMatch(other -> other != slot && other.executor.equals(slot.executor));
    }

    /** Whether an executor without a task is there, or on its way: fewer run than did. */
    boolean expectsRoom() {
        boolean moving = slots.stream().anyMatch(slot -> !slot.arrived && !slot.executor.isEmpty());
        return moving || untaken().findAny().isPresent() || healthy().count() < most;
    }

    void close() {
        slots.stream().filter(slot -> slot.job != null).forEach(slot -> slot.job.cancel(true));
    }
}
