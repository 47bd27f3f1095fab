/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.inference.Outcome;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.RejectedException;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.trace.TraceSpan;
import io.paritas.inference.spark.ExactModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/** Queries at times of a Poisson process, whether or not earlier ones are answered; every answer is checked. */
final class Queries {
    private static final int DIFFERENT = 32;

    private final FrontEnd frontEnd;
    private final String name;
    private final List<float[]> inputs = new ArrayList<>();
    private final List<float[]> answers = new ArrayList<>();

    Queries(FrontEnd frontEnd, String name, ExactModel model, int features) {
        this.frontEnd = frontEnd;
        this.name = name;
        Random random = new Random(7);
        for (int i = 0; i < DIFFERENT; i++) {
            float[] input = new float[features];
            for (int feature = 0; feature < features; feature++) {
                input[feature] = random.nextInt(10);
            }
            inputs.add(input);
            answers.add(model.predict(input));
        }
    }

    /**
     * Latencies, from the time at which a query was to be sent.
     *
     * @param warmUp how many of the first queries do not count
     */
    Latencies run(int warmUp, int count, double rate, long seed) throws InterruptedException {
        int all = warmUp + count;
        Random random = new Random(seed);
        AtomicLongArray nanos = new AtomicLongArray(all);
        ConcurrentHashMap<Outcome, AtomicLong> outcomes = new ConcurrentHashMap<>();
        Queue<Integer> wrong = new ConcurrentLinkedQueue<>();
        Semaphore ended = new Semaphore(0);
        double seconds = 0;
        long start = System.nanoTime();
        for (int query = 0; query < all; query++) {
            seconds -= Math.log1p(-random.nextDouble()) / rate;
            long due = start + Math.round(seconds * 1e9);
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            int number = query;
            int input = random.nextInt(DIFFERENT);
            var unused = ask(input).whenComplete((reply, failure) -> {
                boolean answered = failure == null && reply.values() != null;
                nanos.set(number, answered ? System.nanoTime() - due : Long.MAX_VALUE);
                if (answered && !Arrays.equals(clean(reply.values()), clean(answers.get(input)))) {
                    wrong.add(number);
                }
                if (number >= warmUp) {
                    outcomes.computeIfAbsent(answered ? reply.outcome() : Outcome.UNAVAILABLE, none -> new AtomicLong())
                            .incrementAndGet();
                }
                ended.release();
            });
        }
        ended.acquire(all);
        if (!wrong.isEmpty()) {
            throw new IllegalStateException(
                    "the answers of " + wrong.size() + " queries are wrong, such as of " + wrong.peek());
        }
        return new Latencies(
                LongStream.range(warmUp, all)
                        .map(i -> nanos.get((int) i))
                        .sorted()
                        .toArray(),
                count(outcomes, Outcome.RECONSTRUCTED),
                count(outcomes, Outcome.UNAVAILABLE));
    }

    private CompletableFuture<Reply> ask(int input) {
        try {
            // A latency has no change of threads in it.
            return frontEnd.predict(
                            name, "", "bench", List.of(inputs.get(input)), Duration.ZERO, TraceSpan.OFF, Runnable::run)
                    .get(0);
        } catch (RejectedException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** No zero is negative. */
    private static float[] clean(float[] values) {
        float[] clean = values.clone();
        for (int i = 0; i < clean.length; i++) {
            clean[i] += 0f;
        }
        return clean;
    }

    private static long count(ConcurrentHashMap<Outcome, AtomicLong> outcomes, Outcome outcome) {
        AtomicLong count = outcomes.get(outcome);
        return count == null ? 0 : count.get();
    }
}
