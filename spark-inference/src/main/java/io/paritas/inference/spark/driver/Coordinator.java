/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import static io.paritas.inference.spark.driver.Messages.ARGUMENT;
import static io.paritas.inference.spark.driver.Messages.EXECUTION;
import static io.paritas.inference.spark.driver.Messages.KIND;
import static io.paritas.inference.spark.driver.Messages.OPERATOR;
import static io.paritas.inference.spark.driver.Messages.STAGE;
import static io.paritas.inference.spark.driver.Messages.TASK;
import static io.paritas.inference.spark.driver.Messages.UNIT;

import io.paritas.inference.spark.SparkSetting;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.SQLExecution;

/**
 * Hears the tasks of coded operators and kills those that nobody needs to wait for. One for each Spark context. Thread-safe;
 * {@link #receive} never blocks, because it runs on a thread of Spark's message dispatcher.
 */
public final class Coordinator implements AutoCloseable {
    private static final long A_MILLISECOND = 1_000_000;
    /* Short tasks differ by more than their medians say: threads wait for processors, and code is compiled. */
    private static final long GRACE_NANOS = 500 * A_MILLISECOND;
    /* Tasks come late by seconds, and no more than these end meanwhile. */
    private static final int REMEMBERED = 1024;
    private static volatile Coordinator running;

    private final SparkContext context;
    private final FrozenExecutors frozen;
    private final Map<Key, Ledger> ledgers = new ConcurrentHashMap<>();
    private final Map<Key, Runnable> onKill = new ConcurrentHashMap<>();
    /** Executions that are over, the last ones. */
    private final Set<Execution> over = Collections.newSetFromMap(Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Execution, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    }));

    private final Clock clock;

    private record Key(int operator, Execution execution) {}

    private Coordinator(SparkContext context) {
        this.context = context;
        this.clock = new Clock("paritas-coordinator");
        this.frozen = new FrozenExecutors(
                context, clock, millis(SparkSetting.FROZEN_TIMEOUT), millis(SparkSetting.FROZEN_INTERVAL));
    }

    /** The coordinator of the running Spark context; empty where the plugin is not configured. */
    public static Optional<Coordinator> running() {
        return Optional.ofNullable(running);
    }

    /** Starts the coordinator of a Spark context. */
    public static Coordinator start(SparkContext context) {
        Coordinator coordinator = new Coordinator(context);
        coordinator.frozen.watch(() -> coordinator.executions() > 0);
        context.addSparkListener(new Cleaning(coordinator));
        running = coordinator;
        return coordinator;
    }

    private Duration millis(SparkSetting setting) {
        String value = context.conf().get(setting.key(), setting.defaultValue());
        try {
            return Duration.ofMillis(Long.parseLong(value));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(setting.key() + " must be a number of ms, got '" + value + "'", e);
        }
    }

    /** Has an operator told, as long as a SQL execution runs, whenever one of its tasks is killed. */
    public void onKill(int operator, long execution, Runnable hear) {
        onKill.put(new Key(operator, Execution.ofSql(execution)), hear);
    }

    /** Answers a message of {@link Messages}; null for one that wants no answer. */
    public Object receive(Object message) {
        long[] m = Messages.read(message);
        Key key = new Key((int) m[OPERATOR], Execution.of(m[EXECUTION], (int) m[STAGE]));
        if (m[KIND] == Messages.END) {
            Ledger known = ledgers.get(key);
            if (known != null) {
                end(known, m);
            }
            return null;
        }
        Ledger ledger = m[KIND] == Messages.START ? begun(key, m) : ledgers.get(key);
        if (ledger == null) {
            return over(m);
        }
        synchronized (ledger) {
            long[] answer = answer(ledger, m, System.nanoTime());
            check(ledger, (int) m[UNIT], key);
            return answer;
        }
    }

    /** Null for a task that starts after its execution has ended: what it began would never be forgotten. */
    private Ledger begun(Key key, long[] m) {
        if (isOver(key)) {
            return null;
        }
        Ledger ledger = ledgers.computeIfAbsent(key, absent -> create(key, m));
        // It may have ended since, and been forgotten before that.
        if (isOver(key)) {
            clock.soon(() -> forget(Set.of(key.execution)));
            return null;
        }
        return ledger;
    }

    /* The events that tell of an end may be before or after the end itself. */
    private boolean isOver(Key key) {
        Execution execution = key.execution;
        return over.contains(execution) || (execution.isSql() && SQLExecution.getQueryExecution(execution.id) == null);
    }

    private Ledger create(Key key, long[] m) {
        long now = System.nanoTime();
        Ledger ledger = new Ledger(Messages.layout(m), Messages.policy(m, GRACE_NANOS), context.newRddId(), now);
        long deadline = ledger.deadlineIn(now);
        if (deadline >= 0) {
            clock.after(deadline, () -> checkAll(ledger, key));
        }
        return ledger;
    }

    private long[] answer(Ledger ledger, long[] m, long now) {
        int unit = (int) m[UNIT];
        long task = m[TASK];
        int argument = (int) m[ARGUMENT];
        return switch ((int) m[KIND]) {
            case Messages.START -> withEpoch(ledger.start(unit, task, now));
            case Messages.COMPUTED -> new long[] {ledger.computed(unit, now)};
            case Messages.PARITY -> new long[] {ledger.parity(unit, argument)};
            case Messages.NEXT -> new long[] {ledger.nextParity(unit)};
            case Messages.LOST -> withEpoch(ledger.lost(unit, task, argument, now));
            case Messages.DECODED -> {
                ledger.decoded(unit);
                yield new long[] {Messages.NONE};
            }
            default -> throw new IllegalArgumentException("unknown message " + m[KIND]);
        };
    }

    /** For tasks that go on after their execution, because nobody stopped them. */
    private long[] over(long[] m) {
        return m[KIND] == Messages.START || m[KIND] == Messages.LOST
                ? withEpoch(new Instruction(Instruction.Mode.COMPUTE, Instruction.NO_BLOCKS, 0, 0))
                : new long[] {Messages.OVER};
    }

    private long[] withEpoch(Instruction instruction) {
        long[] numbers = instruction.toNumbers();
        long[] reply = Arrays.copyOf(numbers, numbers.length + 1);
        reply[numbers.length] = ((MapOutputTrackerMaster) context.env().mapOutputTracker()).getEpoch();
        return reply;
    }

    private static void end(Ledger ledger, long[] m) {
        synchronized (ledger) {
            ledger.end((int) m[UNIT], m[TASK], m[ARGUMENT] == 1);
        }
    }

    private void checkAll(Ledger ledger, Key key) {
        synchronized (ledger) {
            for (int unit = 0; unit < ledger.units(); unit += ledger.unitsPerStripe()) {
                check(ledger, unit, key);
            }
        }
    }

    /** Kills what is overdue in a unit's stripe, and comes back when more will be. Holds the ledger. */
    private void check(Ledger ledger, int unit, Key key) {
        long now = System.nanoTime();
        for (long task : ledger.overdue(unit, now)) {
            clock.soon(() -> kill(task, key));
        }
        long due = ledger.dueIn(unit, now);
        if (due >= 0) {
            clock.after(due + A_MILLISECOND, () -> {
                synchronized (ledger) {
                    check(ledger, unit, key);
                }
            });
        }
    }

    private void kill(long task, Key key) {
        if (context.killTaskAttempt(task, true, "its rows can be reconstructed without it")) {
            onKill.getOrDefault(key, () -> {}).run();
        }
    }

    /** Forgets executions that are over, and drops their blocks. */
    void forget(Collection<Execution> ended) {
        over.addAll(ended);
        onKill.keySet().removeIf(key -> ended.contains(key.execution));
        for (Key key : ledgers.keySet()) {
            if (ended.contains(key.execution)) {
                Ledger ledger = ledgers.remove(key);
                if (ledger != null) {
                    context.unpersistRDD(ledger.blocks(), false);
                }
            }
        }
    }

    /**
     * What surrounds the tasks of a ledger.
     *
     * @param id of the SQL execution, -1 if there is none
     * @param stage of the tasks, which tells those apart that no SQL execution surrounds; else -1
     */
    record Execution(long id, int stage) {
        /** As tasks know it: with the id -1 if there is no SQL execution. */
        static Execution of(long id, int stage) {
            return id < 0 ? ofStage(stage) : ofSql(id);
        }

        static Execution ofSql(long id) {
            return new Execution(id, -1);
        }

        static Execution ofStage(int stage) {
            return new Execution(-1, stage);
        }

        boolean isSql() {
            return id >= 0;
        }
    }

    /** Executions that are not over: none, when nothing runs. */
    public int executions() {
        return (int) ledgers.values().stream().count(); // the map's size may lack one that others see already
    }

    /** Operators that are told of kills: none, when nothing runs. */
    int listeners() {
        return onKill.size();
    }

    @Override
    public void close() {
        clock.close();
        ledgers.clear();
        if (running == this) {
            running = null;
        }
    }
}
