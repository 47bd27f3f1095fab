/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.spark.MapOutputTrackerWorker;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.PluginContext;

/**
 * A task's line to the {@link Coordinator}. Messages and replies are arrays of numbers: Spark reads replies with a class
 * loader that does not know the jars of an application, and ends an executor that gets a class from one. Each carries the
 * layout, so that the driver needs no registration that could outlive or miss an execution.
 */
public final class Messages {
    static final int START = 0;
    static final int COMPUTED = 1;
    static final int PARITY = 2;
    static final int LOST = 3;
    static final int DECODED = 4;
    static final int NEXT = 5;
    static final int END = 6;

    /** No parity is needed. */
    public static final int NONE = -1;

    /** The execution is over: blocks would be kept for nobody. */
    public static final int OVER = -2;

    /* Places in a message. */
    static final int KIND = 0;
    static final int OPERATOR = 1;
    static final int EXECUTION = 2;
    static final int UNIT = 3;
    static final int TASK = 4;
    static final int ARGUMENT = 5;
    static final int K = 6;
    static final int R = 7;
    static final int UNITS = 8;
    static final int SHARE = 9;
    static final int PATIENCE = 10;
    static final int DEADLINE = 11;
    static final int STAGE = 12;
    static final int PLACEMENT = 13;
    static final int LENGTH = 14;

    private final PluginContext plugin;
    private final long[] template;

    /**
     * The line of a task.
     *
     * @param operator id of the operator's RDD
     * @param patience in medians of the finished units
     * @param deadlineNanos after the first message, 0 for none
     * @param unit what the task answers
     */
    public Messages(
            PluginContext plugin,
            int operator,
            Layout layout,
            double patience,
            long deadlineNanos,
            int unit,
            TaskContext task) {
        this.plugin = plugin;
        String execution = task.getLocalProperty("spark.sql.execution.id");
        template = new long[LENGTH];
        template[OPERATOR] = operator;
        template[EXECUTION] = execution == null ? -1 : Long.parseLong(execution);
        template[UNIT] = unit;
        template[TASK] = task.taskAttemptId();
        template[K] = layout.k();
        template[R] = layout.r();
        template[UNITS] = layout.units();
        template[PLACEMENT] = layout.placement().ordinal();
        template[SHARE] = Double.doubleToLongBits(layout.share());
        template[PATIENCE] = Double.doubleToLongBits(patience);
        template[DEADLINE] = deadlineNanos;
        template[STAGE] = task.stageId();
    }

    /**
     * What came over a line.
     *
     * @throws IllegalArgumentException if it did not come from {@link Messages}
     */
    static long[] read(Object message) {
        if (message instanceof long[] numbers && numbers.length == LENGTH) {
            return numbers;
        }
        throw new IllegalArgumentException("the driver's coordinator hears messages of " + LENGTH + " numbers, got "
                + (message instanceof long[] numbers ? numbers.length + " numbers" : String.valueOf(message))
                + ": the driver and all executors must have the same version of Paritas");
    }

    /** The layout that a message carries. */
    static Layout layout(long[] message) {
        return new Layout(
                (int) message[K],
                (int) message[R],
                (int) message[UNITS],
                Layout.Placement.values()[(int) message[PLACEMENT]],
                Double.longBitsToDouble(message[SHARE]));
    }

    /** When to lose patience, as a message says; the grace is the driver's. */
    static Ledger.Policy policy(long[] message, long graceNanos) {
        return new Ledger.Policy(Double.longBitsToDouble(message[PATIENCE]), graceNanos, message[DEADLINE]);
    }

    /** Asks what to do. */
    public Instruction start() {
        return instruction(ask(START, 0));
    }

    /** The data is predicted and kept; returns which parity to compute next, {@link #NONE} or {@link #OVER}. */
    public int computed() {
        return (int) ask(COMPUTED, 0)[0];
    }

    /** So many parities are computed and kept; returns which to compute next, {@link #NONE} or {@link #OVER}. */
    public int parity(int count) {
        return (int) ask(PARITY, count)[0];
    }

    /** Asks which parity to compute next: {@link #NONE} or {@link #OVER} if it is no longer needed. */
    public int nextParity() {
        return (int) ask(NEXT, 0)[0];
    }

    /** The blocks of a unit of the stripe are gone; returns what to do instead. */
    public Instruction lost(int place) {
        return instruction(ask(LOST, place));
    }

    /** The data is reconstructed and kept; returns {@link #NONE} or {@link #OVER}. */
    public int decoded() {
        return (int) ask(DECODED, 0)[0];
    }

    /** The attempt is over. */
    public void end(boolean succeeded) {
        try {
            plugin.send(message(END, succeeded ? 1 : 0));
        } catch (IOException e) {
            throw new UncheckedIOException("the driver cannot be told that a task is over: " + e.getMessage(), e);
        }
    }

    /**
     * An instruction, which comes with the driver's epoch of outputs of exchanges. Spark tells it to tasks of new stages only;
     * another attempt in a stage would go on to ask an executor for its outputs that is known to be lost.
     */
    private static Instruction instruction(long[] reply) {
        if (SparkEnv.get().mapOutputTracker() instanceof MapOutputTrackerWorker outputs) {
            outputs.updateEpoch(reply[reply.length - 1]);
        }
        return Instruction.of(reply);
    }

    private long[] ask(int kind, int argument) {
        try {
            return (long[]) plugin.ask(message(kind, argument));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("the driver's coordinator does not answer: " + e.getMessage(), e);
        }
    }

    private long[] message(int kind, int argument) {
        long[] message = template.clone();
        message[KIND] = kind;
        message[ARGUMENT] = argument;
        return message;
    }
}
