/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen.exercise;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjIntConsumer;

/** Does exercises on processors, on all of them at the same time: so the machine is as hot as it gets. Thread-safe. */
public final class MachineScreen {
    private final List<Exercise> exercises;

    /** A screen with all exercises. Their right results are computed here, slowly: this takes about a second. */
    public MachineScreen() {
        this(List.of(new CodingExercise(), new ProductExercise(), new ChecksumExercise()));
    }

    MachineScreen(List<Exercise> exercises) {
        this.exercises = exercises;
    }

    /**
     * Exercises processors.
     *
     * @param processors their numbers
     * @param time how long; every exercise is done at least once
     * @param observer gets each wrong result with the number of its processor, on threads of all processors
     * @return a result for each processor, in their order
     */
    public List<ProcessorResult> run(List<Integer> processors, Duration time, ObjIntConsumer<WrongResult> observer)
            throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        ExecutorService threads = Executors.newFixedThreadPool(processors.size(), work -> {
            Thread thread = new Thread(work, "paritas-screen");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<ProcessorResult>> running = new ArrayList<>();
            for (int processor : processors) {
                running.add(threads.submit(() -> exercise(processor, end, observer)));
            }
            List<ProcessorResult> results = new ArrayList<>();
            for (Future<ProcessorResult> result : running) {
                results.add(result.get());
            }
            return results;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException("an exercise failed: " + e.getCause(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private ProcessorResult exercise(int processor, long end, ObjIntConsumer<WrongResult> observer)
            throws InterruptedException {
        boolean pinned = Processors.pin(processor);
        Map<String, Long> runs = new LinkedHashMap<>();
        List<WrongResult> first = new ArrayList<>();
        AtomicLong count = new AtomicLong();
        for (int round = 0; round == 0 || (System.nanoTime() - end < 0 && !Thread.interrupted()); round++) {
            for (Exercise exercise : exercises) {
                exercise.run(round % Exercise.PATTERNS, result -> {
                    observer.accept(result, processor);
                    if (count.incrementAndGet() <= ProcessorResult.MOST) {
                        first.add(result);
                    }
                });
                runs.merge(exercise.name(), 1L, Long::sum);
            }
        }
        return new ProcessorResult(processor, pinned, runs, count.get(), first);
    }
}
