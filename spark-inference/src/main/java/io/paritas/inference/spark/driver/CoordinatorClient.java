/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import io.paritas.inference.spark.driver.TaskMessage.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.spark.MapOutputTrackerWorker;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.PluginContext;

/**
 * A task's connection to the {@link Coordinator}. Questions block until the driver replies. A question of an interrupted thread
 * may fail; the thread stays interrupted, and other tasks are not affected.
 */
public final class CoordinatorClient {
    private final PluginContext plugin;
    private final Attempt attempt;
    private final Layout layout;
    private final LatePolicy late;

    /** The connection of a task, through the executor's plugin. */
    public CoordinatorClient(PluginContext plugin, Attempt attempt, Layout layout, LatePolicy late) {
        this.plugin = plugin;
        this.attempt = attempt;
        this.layout = layout;
        this.late = late;
    }

    /** Asks what to do. */
    public Instruction start() {
        return instruction(ask(Kind.START, 0));
    }

    /** Says that the data is predicted and kept; returns which parity to compute next. */
    public NextParity computed() {
        return NextParity.decode(ask(Kind.COMPUTED, 0));
    }

    /** Says that there was no data; returns which parity to compute next. */
    public NextParity foundNone() {
        return NextParity.decode(ask(Kind.COMPUTED, 1));
    }

    /**
     * Says that the first parities of a segment are computed and kept, or its data if the count is 0; returns which parity to
     * compute next.
     */
    public NextParity parity(int segment, int count) {
        return NextParity.decode(ask(message(Kind.PARITY, count, segment)));
    }

    /** Asks which parity to compute next. */
    public NextParity nextParity() {
        return NextParity.decode(ask(Kind.NEXT, 0));
    }

    /** Says that the blocks of the segment at a place of the stripe are gone; returns what to do instead. */
    public Instruction lost(int place) {
        return instruction(ask(Kind.LOST, place));
    }

    /** Says that the data is reconstructed and kept; returns {@link NextParity#NONE} or {@link NextParity#OVER}. */
    public NextParity decoded() {
        return NextParity.decode(ask(Kind.DECODED, 0));
    }

    /** Says that the attempt has succeeded. Waits for nothing. */
    public void succeeded() {
        end(1);
    }

    /** Says that the attempt has failed. Waits for nothing. */
    public void failed() {
        end(0);
    }

    private void end(int succeeded) {
        try {
            plugin.send(message(Kind.END, succeeded, attempt.segment()));
        } catch (IOException e) {
            throw new UncheckedIOException("the driver cannot be told that a task is over: " + e.getMessage(), e);
        }
    }

    /**
     * Takes over the driver's epoch of shuffle outputs. Spark tells it to tasks of new stages only; another attempt in a stage
     * would go on to ask an executor for its outputs that is known to be lost.
     */
    private static Instruction instruction(long... numbers) {
        Instructed reply = Instructed.decode(numbers);
        if (SparkEnv.get().mapOutputTracker() instanceof MapOutputTrackerWorker outputs) {
            outputs.updateEpoch(reply.epoch());
        }
        return reply.instruction();
    }

    private long[] ask(Kind kind, int argument) {
        return ask(message(kind, argument, attempt.segment()));
    }

    private long[] ask(long... message) {
        try {
            return (long[]) plugin.ask(message);
        } catch (RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the task was interrupted while it asked the coordinator", e);
        } catch (Exception e) {
            throw new IllegalStateException("the coordinator does not answer: " + e.getMessage(), e);
        }
    }

    private long[] message(Kind kind, int argument, int subject) {
        return new TaskMessage(kind, argument, subject, attempt, layout, late).encode();
    }
}
