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
 * {@link PolicyTable} prints what comes of it.
 */
final class Simulation implements Effects {
    private static final int HOSTS = 6;
    private static final int WARM_UP = 1_000;
    private static final double SERVICE = 1.2e6;
    private static final double JITTER = 0.2;
    private static final long WAY = 100_000;
    private static final long FRONT_END = 10_000;
    private static final long SECOND = 1_000_000_000;
    private static final long STALL = 8_000_000;
    private static final double SLOW = 4;
    private static final double TRANSFER = 1e6;
    /* The part of the time that a backup model takes. */
    private static final double CHEAPER = 0.5;
    private static final float[] INPUT = new float[Scene.FEATURES];

    /** What is wrong meanwhile. */
    enum Trouble {
        NONE("nobody slow", 0, false, false),
        /** The front end stands still for 8 ms, five times a second. */
        STALLS("stalls", 0, true, false),
        /** One of the hosts takes four times as long, another one each second. */
        SLOW_HOST("a slow host", 1, false, false),
        /** Two of the hosts take four times as long, others each second. */
        SLOW_PAIR("a slow pair", 2, false, false),
        /** What goes to or from two of the hosts, others each second, waits for 1 ms on average, exponentially. */
        TRANSFERS("transfers", 0, false, true),
        BOTH("a slow pair and stalls", 2, true, false);

        private final String label;
        private final int slowHosts;
        private final boolean stalls;
        private final boolean transfers;

        Trouble(String label, int slowHosts, boolean stalls, boolean transfers) {
            this.label = label;
            this.slowHosts = slowHosts;
            this.stalls = stalls;
            this.transfers = transfers;
        }

        String label() {
            return label;
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
    private List<Integer> transferring = List.of();
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
        if (plan.trouble.slowHosts > 0 || plan.trouble.transfers) {
            at(0, this::choose);
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

    /** Other hosts are in trouble. */
    private void choose() {
        int first = faults.nextInt(HOSTS);
        int second = (first + 1 + faults.nextInt(HOSTS - 1)) % HOSTS;
        List<Integer> pair = List.of(first, second);
        slow = pair.subList(0, plan.trouble.slowHosts);
        transferring = plan.trouble.transfers ? pair : List.of();
        at(now + SECOND, this::choose);
    }

    /** How long a message to or from a host takes. */
    private long way(int host) {
        boolean waits = transferring.contains(host);
        return WAY + (waits ? (long) (-Math.log(1 - services.nextDouble()) * TRANSFER) : 0);
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
        long start = Math.max(now + way(host), freeAt[host]);
        double factor = Math.exp(JITTER * services.nextGaussian())
                * (slow.contains(host) ? SLOW : 1)
                * (batch.instance().role().equals(Role.BACKUP) ? CHEAPER : 1);
        freeAt[host] = start + (long) (SERVICE * factor);
        float[][] outputs =
                Arrays.stream(batch.inputs()).map(Scene.MODEL::predict).toArray(float[][]::new);
        inFrontEnd(freeAt[host] + way(host), () -> broker.answered(batch.number(), outputs, now));
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
}
