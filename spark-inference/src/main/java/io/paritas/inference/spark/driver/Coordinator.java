/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import io.paritas.inference.spark.driver.TaskMessage.Kind;
import io.paritas.inference.spark.settings.CodedSettings;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.SQLExecution;

/**
 * Tells the tasks of coded operators what to do, and kills those that nobody needs to wait for. One for each Spark context.
 * Thread-safe; {@link #receive} never blocks, because it runs on a thread of Spark's message dispatcher.
 */
public final class Coordinator implements AutoCloseable {
    private static final long A_MILLISECOND = 1_000_000;
    /* Short tasks differ by more than their medians say: threads wait for processors, and code is compiled. */
    private static final long GRACE_NANOS = 500 * A_MILLISECOND;
    /* Listeners hear of tasks later than these ask: so long after the last one has started, they have heard. */
    private static final long HEARD_NANOS = 1000 * A_MILLISECOND;
    /* The same for tasks that have not started: of the first ones of an execution nothing may have been heard. */
    private static final long BEGUN_NANOS = 20 * A_MILLISECOND;
    /* Tasks come late by seconds, and no more than these end meanwhile. */
    private static final int REMEMBERED = 1024;
    private static final String QUEUE = "paritas-inference";
    /* What is over is looked for so often, because events are dropped when listeners are slow. */
    private static final long MISSED_NANOS = 60_000 * A_MILLISECOND;
    private static volatile Coordinator running;

    private final SparkContext context;
    private final FrozenExecutors frozen;
    private final StageTasks stages = new StageTasks();
    private final Map<Key, Ledger> ledgers = new ConcurrentHashMap<>();
    private final Map<Key, Runnable> onKill = new ConcurrentHashMap<>();
    /** The last executions that ended. */
    private final Set<Execution> over = Collections.newSetFromMap(Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Execution, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    }));

    private final DriverScheduler scheduler;

    private record Key(int operator, Execution execution) {
        static Key of(Attempt attempt) {
            return new Key(attempt.operator(), Execution.of(attempt));
        }
    }

    /** A coordinator that hears of nothing, unless {@link #start} made it. */
    Coordinator(SparkContext context) {
        this.context = context;
        this.scheduler = new DriverScheduler("paritas-coordinator");
        UnaryOperator<String> properties = key -> context.conf().get(key, null);
        this.frozen = new FrozenExecutors(
                context,
                CodedSettings.FROZEN_EXECUTOR_TIMEOUT.get(properties),
                CodedSettings.FROZEN_EXECUTOR_INTERVAL.get(properties));
    }

    /** The coordinator of the running Spark context; empty where the plugin is not configured. */
    public static Optional<Coordinator> running() {
        return Optional.ofNullable(running);
    }

    /** Starts the coordinator of a Spark context. */
    public static Coordinator start(SparkContext context) {
        Coordinator coordinator = new Coordinator(context);
        coordinator.frozen.watch(() -> coordinator.executions() > 0);
        // In a queue of their own: no other listener makes them miss events.
        context.listenerBus().addToQueue(new Cleaning(coordinator), QUEUE);
        context.listenerBus().addToQueue(coordinator.stages, QUEUE);
        coordinator.forgetMissedOften();
        running = coordinator;
        return coordinator;
    }

    /** Runs an action whenever a task of an operator is killed, until the SQL execution ends. */
    public void onKill(int operator, long execution, Runnable action) {
        onKill.put(new Key(operator, Execution.ofSql(execution)), action);
    }

    /**
     * Answers a message.
     *
     * @param message an encoded {@link TaskMessage}
     * @return an encoded {@link Reply}; null for a message that wants none
     */
    public Object receive(Object message) {
        TaskMessage decoded = TaskMessage.decode(message);
        if (decoded.kind() == Kind.END) {
            end(decoded);
            return null;
        }
        return reply(decoded).encode();
    }

    private Reply reply(TaskMessage message) {
        Key key = Key.of(message.attempt());
        Ledger ledger = message.kind() == Kind.START ? begun(key, message) : ledgers.get(key);
        if (ledger == null) {
            return tooLate(message.kind());
        }
        synchronized (ledger) {
            Reply reply = reply(ledger, message, System.nanoTime());
            checkChanged(ledger, key);
            return reply;
        }
    }

    /** Null for a task that starts after its execution has ended: what it began would never be forgotten. */
    private Ledger begun(Key key, TaskMessage start) {
        if (isOver(key)) {
            return null;
        }
        Ledger ledger = ledgers.computeIfAbsent(key, absent -> create(key, start));
        // It may have ended since, and been forgotten before that.
        if (isOver(key)) {
            scheduler.soon(() -> forget(Set.of(key.execution)));
            return null;
        }
        return ledger;
    }

    /* The events that tell of an end may be before or after the end itself. */
    private boolean isOver(Key key) {
        return over.contains(key.execution) || key.execution.isOverInSql();
    }

    private Ledger create(Key key, TaskMessage start) {
        long now = System.nanoTime();
        Ledger ledger =
                new Ledger(start.layout(), Ledger.Policy.of(start.late(), GRACE_NANOS), context.newRddId(), now);
        long deadline = ledger.deadlineIn(now);
        if (deadline >= 0) {
            scheduler.after(deadline, () -> whileThere(key, there -> checkAll(there, key)));
        }
        return ledger;
    }

    private Reply reply(Ledger ledger, TaskMessage message, long now) {
        int segment = message.attempt().segment();
        long task = message.attempt().task();
        int argument = message.argument();
        stages.spoke(message.attempt().stage(), task);
        return switch (message.kind()) {
            case START -> instructed(ledger.start(segment, task, now));
            case COMPUTED ->
                argument == 0
                        ? ledger.computed(segment, task, others(ledger, message, now), now)
                        : ledger.foundNone(segment, task, others(ledger, message, now), now);
            case PARITY -> {
                ledger.parity(message.subject(), argument, task, now);
                yield ledger.help(segment, task, others(ledger, message, now), now);
            }
            case NEXT -> ledger.help(segment, task, others(ledger, message, now), now);
            case LOST -> instructed(ledger.lost(segment, task, argument, now));
            case DECODED -> {
                ledger.decoded(segment, task);
                yield Help.End.NONE;
            }
            case END -> throw new IllegalArgumentException("the end of an attempt has no reply");
        };
    }

    private Others others(Ledger ledger, TaskMessage message, long now) {
        Others heard = stages.others(message.attempt().stage());
        boolean justBegun = ledger.allStartedWithin(HEARD_NANOS, now) || ledger.createdWithin(BEGUN_NANOS, now);
        return new Others(heard.waiting() && !justBegun, heard.silent(), heard.several());
    }

    /** For tasks that go on after their execution, because nobody stopped them. */
    private Reply tooLate(Kind kind) {
        return kind == Kind.START || kind == Kind.LOST
                ? instructed(new Instruction(Instruction.Mode.COMPUTE, Instruction.NO_BLOCKS, 0, 0))
                : Help.End.OVER;
    }

    private Instructed instructed(Instruction instruction) {
        MapOutputTrackerMaster outputs = (MapOutputTrackerMaster) context.env().mapOutputTracker();
        return new Instructed(instruction, outputs.getEpoch());
    }

    private void end(TaskMessage message) {
        int segment = message.attempt().segment();
        long task = message.attempt().task();
        Key key = Key.of(message.attempt());
        whileThere(key, ledger -> {
            if (message.argument() == 1) {
                ledger.succeeded(segment, task);
            } else {
                ledger.failed(segment, task);
            }
            checkChanged(ledger, key);
        });
    }

    /** Locks a ledger and does something with it, unless it is forgotten. Actions for later find theirs by its key, and keep none alive. */
    private void whileThere(Key key, Consumer<Ledger> action) {
        Ledger ledger = ledgers.computeIfPresent(key, (same, there) -> there); // waits for one that is being made
        if (ledger != null) {
            synchronized (ledger) {
                action.accept(ledger);
            }
        }
    }

    private void checkChanged(Ledger ledger, Key key) {
        ledger.takeChanged().forEach(segment -> check(ledger, segment, key));
    }

    private void checkAll(Ledger ledger, Key key) {
        for (int segment = 0; segment < ledger.segments(); segment += ledger.segmentsPerStripe()) {
            check(ledger, segment, key);
        }
    }

    /** Kills what is overdue in a segment's stripe, and comes back when more will be. Holds the ledger. */
    private void check(Ledger ledger, int segment, Key key) {
        long now = System.nanoTime();
        for (long task : ledger.overdue(segment, now)) {
            scheduler.soon(() -> kill(task, key, "its rows can be reconstructed without it"));
        }
        for (long task : ledger.repeated(segment, now)) {
            scheduler.soon(() -> kill(task, key, "it is late, and there is no parity to reconstruct its rows"));
        }
        long due = ledger.dueIn(segment, now);
        if (due >= 0 && ledger.wake(segment, now + due, now)) {
            scheduler.after(due + A_MILLISECOND, () -> whileThere(key, there -> check(there, segment, key)));
        }
    }

    private void kill(long task, Key key, String reason) {
        if (context.killTaskAttempt(task, true, reason)) {
            onKill.getOrDefault(key, () -> {}).run();
        }
    }

    /** Removes executions that have ended, and drops their blocks. */
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

    private void forgetMissedOften() {
        scheduler.after(MISSED_NANOS, () -> {
            forgetMissedOften();
            forgetMissed();
        });
    }

    /** Removes SQL executions that have ended, though no event told of it. */
    void forgetMissed() {
        forget(Stream.concat(ledgers.keySet().stream(), onKill.keySet().stream())
                .map(Key::execution)
                .filter(Execution::isOverInSql)
                .collect(Collectors.toSet()));
    }

    /**
     * What the tasks of a ledger belong to: a SQL execution, or a stage outside of SQL.
     *
     * @param id of the SQL execution; {@link Attempt#NO_EXECUTION} for a stage
     * @param stage id of the stage; -1 for a SQL execution
     */
    record Execution(long id, int stage) {
        static Execution of(Attempt attempt) {
            return attempt.execution() == Attempt.NO_EXECUTION ? ofStage(attempt.stage()) : ofSql(attempt.execution());
        }

        static Execution ofSql(long id) {
            return new Execution(id, -1);
        }

        static Execution ofStage(int stage) {
            return new Execution(Attempt.NO_EXECUTION, stage);
        }

        /** Whether it is a SQL execution that Spark does not know any more. */
        boolean isOverInSql() {
            return id != Attempt.NO_EXECUTION && SQLExecution.getQueryExecution(id) == null;
        }
    }

    /** The number of running executions. */
    public int executions() {
        return (int) ledgers.values().stream().count(); // the map's size may lack one that others see already
    }

    /** The number of operators that are told of kills. */
    int listeners() {
        return onKill.size();
    }

    @Override
    public void close() {
        scheduler.close();
        frozen.close();
        ledgers.clear();
        if (running == this) {
            running = null;
        }
    }
}
