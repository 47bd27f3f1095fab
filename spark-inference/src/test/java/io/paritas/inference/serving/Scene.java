/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.Outcome;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.Target;
import io.paritas.inference.spark.ExactModel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/** A broker, instances that behave as a test wants, and all effects. The model is its own parity model. */
final class Scene implements Effects {
    static final int FEATURES = 6;
    static final ExactModel MODEL = ExactModel.of(FEATURES, 3, 1);
    static final long MILLI = 1_000_000;
    static final long DEADLINE = 100 * MILLI;
    static final Duration GROUP_WAIT = Duration.ofMillis(10);

    private final Policy policy;
    private final Broker broker;
    private final Map<Long, Batch> outstanding = new LinkedHashMap<>();
    private final List<Batch> cancelled = new ArrayList<>();
    private final List<AnsweredGroup> groups = new ArrayList<>();
    private final List<InstanceAnswer> answers = new ArrayList<>();
    private final Map<Integer, List<Reply>> replies = new LinkedHashMap<>();
    private final Map<Query, Integer> numbers = new LinkedHashMap<>();
    private final List<float[]> inputs = new ArrayList<>();
    private final List<Query> queries = new ArrayList<>();
    private final Deque<Runnable> computations = new ArrayDeque<>();
    private boolean busy;
    private long now;

    Scene(Policy policy, Limits limits) {
        this.policy = policy;
        broker = new Broker(policy, limits, this);
    }

    static Policy.Coded coded(int k, int r) {
        return coded(k, r, 0);
    }

    static Policy.Coded coded(int k, int r, double patience) {
        ParityPlan plan = new ParityPlan(new Combinations(k, r), Encoding.ADDITION, Target.OUTPUTS);
        return new Policy.Coded(new Code(plan, r, List.of(FEATURES)), GROUP_WAIT, patience);
    }

    /** Adds instances, numbered from 0. */
    Scene with(Role role, int count) {
        for (int i = 0; i < count; i++) {
            join(role, i, 0);
        }
        return this;
    }

    Instance join(Role role, int number, long generation) {
        Instance instance = new Instance(role + "/" + number, generation, role, role + " " + number);
        broker.join(instance, now);
        compute();
        return instance;
    }

    Broker broker() {
        return broker;
    }

    /** A query whose prediction is not finite. */
    static float[] large() {
        float[] input = new float[FEATURES];
        Arrays.fill(input, 3e38f);
        return input;
    }

    static float[] input(int query) {
        float[] input = new float[FEATURES];
        for (int i = 0; i < FEATURES; i++) {
            input[i] = (query * 7 + i * 3) % 11 - 5;
        }
        return input;
    }

    /** Sends a query; returns its number, from 0 on. */
    int submit(String tenant) {
        return submit(tenant, input(inputs.size()));
    }

    /** Sends a query of these values; returns its number. */
    int submit(String tenant, float[] input) {
        int number = inputs.size();
        inputs.add(input);
        Optional<String> owner = Optional.of(tenant).filter(any -> policy.combines(input));
        queries.add(broker.submit(owner, inputs.get(number), now, now + DEADLINE, reply -> {}));
        compute();
        return number;
    }

    /** Nobody wants the reply to a query any more. */
    void withdraw(int query) {
        broker.withdraw(queries.get(query), now);
        compute();
    }

    int submit() {
        return submit("tenant");
    }

    void pass(long millis) {
        elapse(millis);
        broker.tick(now);
        compute();
    }

    /** Advances the time without a tick, so that an answer can precede a timer that is due. */
    void elapse(long millis) {
        now += millis * MILLI;
    }

    long now() {
        return now;
    }

    /** The batches that instances have. */
    List<Batch> outstanding() {
        return List.copyOf(outstanding.values());
    }

    /** The batches that instances of a role have. */
    List<Batch> outstanding(Role role) {
        return outstanding().stream()
                .filter(batch -> batch.instance().role().equals(role))
                .toList();
    }

    /** Answers a batch with the model. */
    void answer(Batch batch) {
        answer(batch, Arrays.stream(batch.inputs()).map(MODEL::predict).toArray(float[][]::new));
    }

    /** Answers a batch with these outputs. */
    void answer(Batch batch, float[]... outputs) {
        outstanding.remove(batch.number());
        broker.answered(batch.number(), outputs, now);
        compute();
    }

    void fail(Batch batch, String reason) {
        outstanding.remove(batch.number());
        broker.failed(batch.number(), reason, now);
        compute();
    }

    void lose(Instance instance) {
        outstanding.values().removeIf(batch -> batch.instance().equals(instance));
        broker.leave(instance, now);
        compute();
    }

    /** From now on computations take until {@link #finish}. */
    void keepBusy() {
        busy = true;
    }

    /** Ends the computations. */
    void finish() {
        busy = false;
        compute();
    }

    private void compute() {
        while (!busy && !computations.isEmpty()) {
            computations.remove().run();
        }
    }

    @Override
    public <T> void compute(Supplier<T> work, ObjLongConsumer<T> done) {
        computations.add(() -> done.accept(work.get(), now));
    }

    /** The replies to a query. */
    List<Reply> replies(int query) {
        return replies.getOrDefault(query, List.of());
    }

    Outcome outcome(int query) {
        return replies(query).get(0).outcome();
    }

    /** The values that a query was sent with. */
    float[] inputOf(int query) {
        return inputs.get(query);
    }

    int queries() {
        return inputs.size();
    }

    List<Batch> cancelled() {
        return cancelled;
    }

    @Override
    public void send(Batch batch) {
        outstanding.put(batch.number(), batch);
    }

    @Override
    public void cancel(Batch batch) {
        cancelled.add(batch);
    }

    @Override
    public void reply(Query query, Reply reply) {
        int number = numbers.computeIfAbsent(query, absent -> indexOf(query.input()));
        replies.computeIfAbsent(number, absent -> new ArrayList<>()).add(reply);
    }

    @Override
    public AnswerObserver observer() {
        return new AnswerObserver() {
            @Override
            public void answered(InstanceAnswer answer) {
                answers.add(answer);
            }

            @Override
            public boolean wantsGroups() {
                return true;
            }

            @Override
            public void completed(AnsweredGroup group) {
                groups.add(group);
            }
        };
    }

    /** What instances have answered, in order. */
    List<InstanceAnswer> answers() {
        return answers;
    }

    /** The groups that were to be compared. */
    List<AnsweredGroup> groups() {
        return groups;
    }

    private int indexOf(float[] input) {
        for (int i = 0; i < inputs.size(); i++) {
            if (inputs.get(i) == input) {
                return i;
            }
        }
        throw new AssertionError("a reply to no query");
    }
}
