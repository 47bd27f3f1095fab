/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.Outcome;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.Target;
import io.paritas.inference.spark.ExactModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Queries through a front end whose instances are killed, frozen and replaced at random, in this JVM: each must get one reply, the right
 * one, and nothing may be left when all have theirs. {@link SoakTest} runs a short one. Arguments: queries (1,000,000), seed (1).
 *
 * <pre>{@code
 * java -Xmx512m --add-modules jdk.incubator.vector -cp CLASSES:TEST_CLASSES:LIBRARIES io.paritas.inference.serving.Soak 1000000 1
 * }</pre>
 */
public final class Soak implements AutoCloseable {
    private static final String NAME = "linear";
    private static final ExactModel MODEL = ExactModel.of(3, 2, 1);
    private static final int K = 3;
    private static final int R = 2;
    private static final int INSTANCES = 6;
    private static final int AT_A_TIME = 256;
    private static final int QUERIES_PER_FAULT = 200;

    private final FrontEnd frontEnd = new FrontEnd();
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private final Random random;
    private final Map<String, Local> instances = new HashMap<>();
    private final Semaphore room = new Semaphore(AT_A_TIME);
    private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    private final List<String> wrong = new ArrayList<>();
    private long generation;

    /** An instance that answers after some microseconds, until it is frozen; one that is killed fails what it has, later or never. */
    private final class Local implements Link {
        private final Instance instance;
        private final int micros;
        private volatile boolean frozen;

        Local(Instance instance, int micros) {
            this.instance = instance;
            this.micros = micros;
        }

        @Override
        public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
            CompletableFuture<float[][]> answer = new CompletableFuture<>();
            if (!frozen) {
                var unused = threads.schedule(() -> answer(inputs, answer), micros, TimeUnit.MICROSECONDS);
            }
            return answer;
        }

        private void answer(float[][] inputs, CompletableFuture<float[][]> answer) {
            if (!frozen) {
                answer.complete(Arrays.stream(inputs).map(MODEL::predict).toArray(float[][]::new));
            }
        }

        @Override
        public void cancel(long batch) {}
    }

    Soak(long seed, double patience) {
        random = new Random(seed);
        ParityPlan plan = new ParityPlan(new Combinations(K, R), Encoding.ADDITION, Target.OUTPUTS);
        frontEnd.add(new ServedModel(
                NAME,
                "1",
                new TensorSpec("input", List.of(3)),
                new TensorSpec("output", List.of(2)),
                new Policy.Coded(new Code(plan, R, List.of(3)), Duration.ofMillis(2), patience),
                Limits.DEFAULT.withWaiting(2 * AT_A_TIME).withBatch(2).withDeadline(Duration.ofSeconds(30))));
        for (int number = 0; number < INSTANCES; number++) {
            join(Role.DEPLOYED, number);
        }
        for (int parity = 0; parity < R; parity++) {
            join(Role.parity(parity), 0);
            join(Role.parity(parity), 1);
        }
    }

    private void join(Role role, int number) {
        String id = role + "/" + number;
        Local local = new Local(new Instance(id, generation++, role, id), 20 + random.nextInt(200));
        instances.put(id, local);
        frontEnd.join(NAME, "1", local.instance, local);
    }

    /** Sends queries, some at a time, and does harm in between. */
    void run(int queries) throws InterruptedException {
        for (int query = 0; query < queries; query++) {
            if (query % QUERIES_PER_FAULT == 0) {
                harm();
            }
            room.acquire();
            float[] input = {query % 101, query % 7, -(query % 13)};
            var unused = frontEnd.predict(NAME, "", "tenant-" + query % 3, List.of(input), Duration.ZERO)
                    .get(0)
                    .thenAccept(reply -> replied(input, reply));
        }
        if (!room.tryAcquire(AT_A_TIME, 2, TimeUnit.MINUTES)) {
            throw new IllegalStateException("queries have no reply: " + frontEnd.status());
        }
        room.release(AT_A_TIME);
    }

    private synchronized void replied(float[] input, Reply reply) {
        outcomes.merge(reply.outcome(), 1, Integer::sum);
        if (reply.values() == null || !same(reply.values(), MODEL.predict(input))) {
            wrong.add(Arrays.toString(input) + " got " + reply.outcome() + " " + Arrays.toString(reply.values())
                    + reply.reason());
        }
        room.release();
    }

    private static boolean same(float[] a, float[] b) {
        return Arrays.equals(
                new float[] {a[0] + 0f, a[1] + 0f}, new float[] {b[0] + 0f, b[1] + 0f}); // no zero is negative
    }

    /** Freezes one, or kills it; whoever was harmed before is replaced, so that most are well at any time. */
    private void harm() {
        List.copyOf(instances.values()).stream().filter(local -> local.frozen).forEach(local -> {
            Instance old = local.instance;
            if (random.nextBoolean()) {
                frontEnd.leave(
                        NAME, "1", old); // otherwise the new one takes the place, as a late farewell would have it
            }
            join(old.role(), Integer.parseInt(old.id().substring(old.id().indexOf('/') + 1)));
        });
        List<Local> all = List.copyOf(instances.values());
        Local victim = all.get(random.nextInt(all.size()));
        victim.frozen = true;
        if (random.nextBoolean()) {
            frontEnd.leave(NAME, "1", victim.instance);
        }
    }

    /** Replaces whoever is frozen, and waits until nobody has anything to do. */
    void settle() throws InterruptedException {
        List.copyOf(instances.values()).stream().filter(local -> local.frozen).forEach(local -> {
            Instance old = local.instance;
            join(old.role(), Integer.parseInt(old.id().substring(old.id().indexOf('/') + 1)));
        });
        for (int tries = 0; left() > 0 && tries < 6_000; tries++) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** What is left of queries: of a front end that has answered all, nothing. */
    int left() {
        return frontEnd.lane(NAME, "1").kept();
    }

    synchronized Map<Outcome, Integer> outcomes() {
        return new EnumMap<>(outcomes);
    }

    /** Replies that are not what the model says. */
    synchronized List<String> wrong() {
        return List.copyOf(wrong);
    }

    @Override
    public void close() {
        frontEnd.close();
        threads.shutdownNow();
    }

    public static void main(String[] arguments) throws InterruptedException {
        int queries = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000_000;
        long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        long start = System.nanoTime();
        try (Soak soak = new Soak(seed, 2)) {
            soak.run(queries / 10);
            soak.settle();
            long before = used();
            soak.run(queries - queries / 10);
            soak.settle();
            System.out.printf(
                    "%,d queries in %.0f s: %s, wrong %d, left %d, heap %.1f MiB after a tenth, %.1f MiB at the end%n",
                    queries,
                    (System.nanoTime() - start) / 1e9,
                    soak.outcomes(),
                    soak.wrong().size(),
                    soak.left(),
                    before / 1048576.0,
                    used() / 1048576.0);
        }
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
