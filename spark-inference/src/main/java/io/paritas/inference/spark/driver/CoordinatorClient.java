/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import io.paritas.inference.spark.driver.TaskMessage.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.LongConsumer;
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
    private final LongConsumer waited;

    /**
     * The connection of a task, through the executor's plugin.
     *
     * @param waited is told how many nanoseconds each question took
     */
    public CoordinatorClient(
            PluginContext plugin, Attempt attempt, Layout layout, LatePolicy late, LongConsumer waited) {
        this.plugin = plugin;
        this.attempt = attempt;
        this.layout = layout;
        this.late = late;
        this.waited = waited;
    }

    /** Asks what to do. */
    public Instruction start() {
        return instruction(ask(Kind.START, 0));
    }

    /** Says that the data is predicted and kept; returns what to do for others. */
    public Help computed() {
        return Help.decode(ask(Kind.COMPUTED, 0));
    }

    /** Says that there was no data; returns what to do for others. */
    public Help foundNone() {
        return Help.decode(ask(Kind.COMPUTED, 1));
    }

    /** Says that a parity, or the data, of any segment is computed and kept; returns what to do for others next. */
    public Help made(Help.Work work) {
        return Help.decode(ask(message(Kind.PARITY, work.parities(), work.segment())));
    }

    /** Asks what to do for others next. */
    public Help help() {
        return Help.decode(ask(Kind.NEXT, 0));
    }

    /** Says that the blocks of the segment at a place of the stripe are gone; returns what to do instead. */
    public Instruction lost(int place) {
        return instruction(ask(Kind.LOST, place));
    }

    /** Says that the data is reconstructed and kept; returns {@link Help.End#NONE} or {@link Help.End#OVER}. */
    public Help decoded() {
        return Help.decode(ask(Kind.DECODED, 0));
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
        long start = System.nanoTime();
        try {
            return (long[]) plugin.ask(message);
        } catch (RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the task was interrupted while it asked the coordinator", e);
        } catch (Exception e) {
            throw new IllegalStateException("the coordinator does not answer: " + e.getMessage(), e);
        } finally {
            waited.accept(System.nanoTime() - start);
        }
    }

    private long[] message(Kind kind, int argument, int subject) {
        return new TaskMessage(kind, argument, subject, attempt, layout, late).encode();
    }
}
