/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.job.ApplicationExecutors;
import io.paritas.spark.job.JobProperties;
import io.paritas.spark.job.PlacedTasks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaSparkContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tasks of servers and candidates, on different executors as far as possible: servers of one executor fail together
 * and cannot recover each other. Each task is a Spark job of its own, because Spark alone places the tasks of one job.
 * A task that comes up beside another one can be moved. Not thread-safe.
 */
final class ServerJobs {
    private static final Logger LOG = LoggerFactory.getLogger(ServerJobs.class);
    /** Milliseconds before a task that has ended is started again. */
    private static final long PAUSE = 500;
    /** Milliseconds before a failed executor is tried again; also the longest pause for one without a free slot. */
    private static final long SHUNNED = 60_000;

    /**
     * An executor without a free slot.
     *
     * @param until time when it is tried again
     * @param pause milliseconds before that, doubled each time
     */
    private record Full(long until, long pause) {}

    /** A running executor. */
    private record Executor(String id, String host) {
        /** Returns the executor in the form of Spark's preferred locations. */
        String location() {
            return PlacedTasks.location(host, id);
        }
    }

    /** A task that is kept running. */
    private static final class Slot {
        int task = -1;
        JavaFutureAction<Void> job;
        long startAt;
        /** The executor that the task runs on, or is sent to; empty if Spark chooses. */
        String executor = "";

        /** Whether the task has said where it runs, since it was started or recalled. */
        boolean arrived;
    }

    private final JavaSparkContext spark;
    /** Servers belong to no group of jobs, as that of who starts them: with it, all would be cancelled together. */
    private final JobProperties properties;

    private final ServerTask server;
    private final List<Slot> slots = new ArrayList<>();
    /** Those whose task runs, by its number. */
    private final Map<Integer, Slot> byTask = new HashMap<>();
    /** By executor with a failed server: time until which it is avoided. */
    private final Map<String, Long> failed = new HashMap<>();
    /** Executors that had no free slot when a task was sent there. */
    private final Map<String, Full> full = new HashMap<>();

    private List<Executor> running = List.of();
    private long looked = Long.MIN_VALUE / 2;
    /** Most executors that have run at once. */
    private int most;

    private int tasks;
    /** Why the last task that failed has failed; empty if none has. */
    private String failure = "";

    ServerJobs(JavaSparkContext spark, ServerTask server, int count) {
        this.spark = spark;
        this.properties = JobProperties.of(spark.sc());
        this.server = server;
        IntStream.range(0, count).forEach(slot -> slots.add(new Slot()));
    }

    /** Whether the application has ended: no task runs again. */
    boolean areOver() {
        return spark.sc().isStopped();
    }

    /** Starts the tasks that do not run. */
    void keep(long now) {
        if (areOver()) {
            return;
        }
        look(now);
        for (Slot slot : slots) {
            if (slot.job != null && slot.job.isDone()) {
                ended(slot);
                byTask.remove(slot.task);
                slot.job = null;
                slot.executor = "";
                slot.startAt = now + PAUSE;
            }
            if (slot.job == null && now >= slot.startAt) {
                start(slot, now);
            }
        }
    }

    private void ended(Slot slot) {
        try {
            slot.job.get();
            LOG.info("task {} of the parameter servers has ended", slot.task);
        } catch (CancellationException e) {
            LOG.info("task {} of the parameter servers was cancelled", slot.task);
        } catch (ExecutionException e) {
            failure = String.valueOf(e.getCause().getMessage())
                    .lines()
                    .findFirst()
                    .orElse("");
            LOG.warn("task {} of the parameter servers has failed", slot.task, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns why the last task that failed has failed; empty if none has. */
    String failure() {
        return failure;
    }

    /** Updates the list of running executors. */
    private void look(long now) {
        if (now - looked >= PAUSE) {
            looked = now;
            running = ApplicationExecutors.all().stream()
                    .map(manager -> new Executor(manager.executorId(), manager.host()))
                    .toList();
            most = Math.max(most, running.size());
            failed.values().removeIf(until -> now >= until);
        }
    }

    private void start(Slot slot, long now) {
        Optional<Executor> free = free(now);
        byTask.remove(slot.task);
        slot.task = tasks++;
        slot.arrived = false;
        slot.executor = free.map(Executor::id).orElse("");
        List<String> locations = free.map(Executor::location).map(List::of).orElse(List.of());
        slot.job = properties.run(spark.sc(), () -> PlacedTasks.of(spark.sc(), Integer.toString(slot.task), locations)
                .foreachPartitionAsync(server));
        byTask.put(slot.task, slot);
    }

    /** Returns an executor without any of the tasks that may have a free slot. */
    private Optional<Executor> free(long now) {
        return untaken()
                .filter(executor -> !full.containsKey(executor.id())
                        || now >= full.get(executor.id()).until())
                .findFirst();
    }

    /** Returns the running executors, except those with a recent failure, which Spark may not have noticed yet. */
    private Stream<Executor> healthy() {
        return running.stream().filter(executor -> !failed.containsKey(executor.id()));
    }

    private Stream<Executor> untaken() {
        Set<String> taken = slots.stream().map(slot -> slot.executor).collect(Collectors.toSet());
        return healthy().filter(executor -> !taken.contains(executor.id()));
    }

    /** Whether a task is one that should run, and not the remains of one that was started again. */
    boolean isCurrent(int task) {
        return find(task).isPresent();
    }

    private Optional<Slot> find(int task) {
        return Optional.ofNullable(byTask.get(task));
    }

    /** Records that a task runs on an executor. */
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

    /** Records that a task is to say again that it runs: until then its executor is as good as free. */
    void recalled(int task) {
        find(task).ifPresent(slot -> slot.arrived = false);
    }

    /** Starts a failed task again, on another executor; not if the application has ended. */
    void failed(int task, long now) {
        if (areOver()) {
            return;
        }
        find(task).ifPresent(slot -> {
            failed.put(slot.executor, now + SHUNNED);
            restart(slot, now);
        });
    }

    private void restart(Slot slot, long now) {
        slot.job.cancel(true);
        start(slot, now);
    }

    /**
     * Moves one of the waiting tasks from a shared executor to a free one; returns false if there is none to move, or
     * nowhere to go.
     */
    boolean spread(Set<Integer> waiting, long now) {
        Map<String, Long> tasksOf =
                slots.stream().collect(Collectors.groupingBy(slot -> slot.executor, Collectors.counting()));
        Optional<Slot> crowded = slots.stream()
                .filter(slot -> slot.job != null
                        && waiting.contains(slot.task)
                        && !slot.executor.isEmpty()
                        && tasksOf.get(slot.executor) > 1)
                .findFirst();
        if (crowded.isEmpty() || free(now).isEmpty()) {
            return false;
        }
        LOG.info("task {} is moved, because executor {} has another one", crowded.get().task, crowded.get().executor);
        restart(crowded.get(), now);
        return true;
    }

    /**
     * Whether an executor without a task is available or expected: a task is moving or recalled, or fewer executors
     * run than before.
     */
    boolean expectsRoom() {
        boolean moving = slots.stream().anyMatch(slot -> !slot.arrived && !slot.executor.isEmpty());
        return moving || untaken().findAny().isPresent() || healthy().count() < most;
    }

    /** Cancels all tasks. */
    void close() {
        slots.stream().filter(slot -> slot.job != null).forEach(slot -> slot.job.cancel(true));
    }
}
