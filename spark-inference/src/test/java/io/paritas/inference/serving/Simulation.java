/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.Outcome;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/**
 * A real broker before six simulated hosts, with a simulated clock: what a policy does to the tail, the same in every run of a seed.
 * A query takes 1.2 ms on a host, give or take a fifth, and 0.1 ms on the way there and back. What makes it slow is a {@link Trouble}.
 * Arguments: queries a run (40,000), runs (5), queries a second (500).
 *
 * <pre>{@code
 * java --add-modules jdk.incubator.vector -cp CLASSES:TEST_CLASSES:LIBRARIES io.paritas.inference.serving.Simulation 40000 5 500
 * }</pre>
 */
public final class Simulation implements Effects {
    private static final int HOSTS = 6;
    private static final int WARM_UP = 1_000;
    private static final double SERVICE = 1.2e6;
    private static final double JITTER = 0.2;
    private static final long WAY = 100_000;
    private static final long FRONT_END = 10_000;
    private static final long SECOND = 1_000_000_000;
    private static final long STALL = 8_000_000;
    private static final double SLOW = 4;
    private static final float[] INPUT = new float[Scene.FEATURES];

    /** What is wrong meanwhile. */
    enum Trouble {
        NONE(false, false),
        /** The front end stands still for 8 ms, five times a second. */
        STALLS(false, true),
        /** Two of the hosts take four times as long, others each second. */
        SLOW_PAIR(true, false),
        BOTH(true, true);

        private final boolean slow;
        private final boolean stalls;

        Trouble(boolean slow, boolean stalls) {
            this.slow = slow;
            this.stalls = stalls;
        }
    }

    /**
     * What is simulated.
     *
     * @param policy whose instances, of all roles, are the hosts
     * @param queries that count; 1,000 more come first
     * @param rate queries a second
     */
    record Plan(Policy policy, Trouble trouble, int queries, int rate, long seed) {}

    /** Latencies in milliseconds, and the share of each outcome. */
    record Result(double p50, double p99, double p999, Map<Outcome, Double> shares) {
        double share(Outcome outcome) {
            return shares.getOrDefault(outcome, 0.0);
        }
    }

    private record Event(long time, long number, Runnable action) {}

    private final Plan plan;
    private final Random arrivals;
    private final Random services;
    private final Random faults;
    private final Broker broker;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::time).thenComparingLong(Event::number));
    private final Map<Instance, Integer> hosts = new HashMap<>();
    private final long[] freeAt = new long[HOSTS];
    private final List<Long> latencies = new ArrayList<>();
    private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    private List<Integer> slow = List.of();
    private long numbers;
    private long now;
    private long frontEndFree;
    private long stalledUntil;
    private long wakes = Long.MAX_VALUE;
    private int replies;

    private Simulation(Plan plan) {
        this.plan = plan;
        this.arrivals = new Random(plan.seed);
        this.services = new Random(plan.seed + 1);
        this.faults = new Random(plan.seed + 2);
        this.broker =
                new Broker(plan.policy, Limits.DEFAULT.withWaiting(100_000).withDeadline(Duration.ofSeconds(10)), this);
    }

    static Result run(Plan plan) {
        return new Simulation(plan).run();
    }

    private Result run() {
        List<Role> roles = plan.policy.roles();
        int others = roles.size() - 1;
        int perOther = others == 0 ? 0 : HOSTS / 3 / others;
        int host = 0;
        for (Role role : roles) {
            int count = role.equals(Role.DEPLOYED) ? HOSTS - others * perOther : perOther;
            for (int i = 0; i < count; i++) {
                Instance instance = new Instance(role + "/" + i, 0, role, role + " " + i);
                hosts.put(instance, host++);
                broker.join(instance, 0);
            }
        }
        at(0, () -> arrive(plan.queries + WARM_UP));
        if (plan.trouble.slow) {
            at(0, this::slowDown);
        }
        if (plan.trouble.stalls) {
            at(SECOND / 5, this::stall);
        }
        while (replies < plan.queries + WARM_UP) {
            Event next = events.remove();
            now = next.time;
            next.action.run();
        }
        return result();
    }

    private void at(long time, Runnable action) {
        events.add(new Event(time, numbers++, action));
    }

    /** Runs what the front end does, when it is free. */
    private void inFrontEnd(long time, Runnable action) {
        at(time, () -> {
            long start = Math.max(Math.max(now, frontEndFree), stalledUntil);
            frontEndFree = start + FRONT_END;
            at(start, () -> {
                action.run();
                schedule();
            });
        });
    }

    private void schedule() {
        OptionalLong due = broker.due();
        if (due.isPresent() && due.getAsLong() < wakes) {
            long time = due.getAsLong();
            wakes = time;
            inFrontEnd(Math.max(time, now), () -> {
                if (wakes == time) {
                    wakes = Long.MAX_VALUE;
                }
                broker.tick(now);
            });
        }
    }

    private void arrive(int left) {
        long due = now;
        inFrontEnd(
                due,
                () -> broker.submit(
                        Optional.of(""), INPUT, due, due + 10 * SECOND, reply -> replied(reply, now - due)));
        if (left > 1) {
            long next = now + (long) (-Math.log(1 - arrivals.nextDouble()) * SECOND / plan.rate);
            at(next, () -> arrive(left - 1));
        }
    }

    private void replied(Reply reply, long latency) {
        if (++replies > WARM_UP) {
            latencies.add(latency);
            outcomes.merge(reply.outcome(), 1, Integer::sum);
        }
    }

    private void slowDown() {
        int first = faults.nextInt(HOSTS);
        slow = List.of(first, (first + 1 + faults.nextInt(HOSTS - 1)) % HOSTS);
        at(now + SECOND, this::slowDown);
    }

    private void stall() {
        stalledUntil = now + STALL;
        at(now + SECOND / 5, this::stall);
    }

    @Override
    public <T> void compute(Supplier<T> work, ObjLongConsumer<T> done) {
        T result = work.get();
        inFrontEnd(now, () -> done.accept(result, now));
    }

    @Override
    public void send(Batch batch) {
        int host = hosts.get(batch.instance());
        long start = Math.max(now + WAY, freeAt[host]);
        double factor = Math.exp(JITTER * services.nextGaussian()) * (slow.contains(host) ? SLOW : 1);
        freeAt[host] = start + (long) (SERVICE * factor);
        float[][] outputs =
                Arrays.stream(batch.inputs()).map(Scene.MODEL::predict).toArray(float[][]::new);
        inFrontEnd(freeAt[host] + WAY, () -> broker.answered(batch.number(), outputs, now));
    }

    @Override
    public void cancel(Batch batch) {}

    @Override
    public void reply(Query query, Reply reply) {
        query.onReply().accept(reply);
    }

    private Result result() {
        long[] sorted = latencies.stream().mapToLong(Long::longValue).sorted().toArray();
        Map<Outcome, Double> shares = new EnumMap<>(Outcome.class);
        outcomes.forEach((outcome, count) -> shares.put(outcome, (double) count / sorted.length));
        return new Result(percentile(sorted, 50), percentile(sorted, 99), percentile(sorted, 99.9), shares);
    }

    private static double percentile(long[] sorted, double percentile) {
        return sorted[(int) Math.min(sorted.length - 1, sorted.length * percentile / 100)] / 1e6;
    }

    static Policy coded(double patience, Duration groupWait) {
        ParityPlan plan = new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS);
        return new Policy.Coded(new Code(plan, 1, List.of(Scene.FEATURES)), groupWait, patience);
    }

    public static void main(String[] arguments) {
        int queries = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 40_000;
        int runs = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
        int rate = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 500;
        List<Policy> policies = List.of(
                coded(0, Duration.ofMillis(10)),
                coded(2, Duration.ofMillis(10)),
                coded(2, Duration.ofMillis(2)),
                new Policy.Uncoded(),
                new Policy.Replicated(2),
                new Policy.Hedged(0, Duration.ofMillis(2)),
                new Policy.Hedged(80, Duration.ofMillis(2)),
                new Policy.Hedged(95, Duration.ofMillis(2)));
        System.out.println("| trouble | policy | p50 ms | p99 ms | p99.9 ms | reconstructed |");
        System.out.println("|---|---|---:|---:|---:|---:|");
        for (Trouble trouble : Trouble.values()) {
            for (Policy policy : policies) {
                List<Result> results = new ArrayList<>();
                for (int seed = 1; seed <= runs; seed++) {
                    results.add(run(new Plan(policy, trouble, queries, rate, seed)));
                }
                results.sort(Comparator.comparingDouble(Result::p999));
                Result median = results.get(results.size() / 2);
                System.out.printf(
                        Locale.ROOT,
                        "| %s | %s | %.2f | %.1f | %.1f | %.1f %% |%n",
                        trouble,
                        policy instanceof Policy.Coded coded
                                ? "patience " + coded.patience() + ", wait "
                                        + coded.groupWait().toMillis()
                                : policy.label(),
                        median.p50,
                        median.p99,
                        median.p999,
                        100 * median.share(Outcome.RECONSTRUCTED));
            }
        }
    }
}
