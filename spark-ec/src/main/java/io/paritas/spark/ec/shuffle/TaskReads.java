/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.apache.spark.TaskContext;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.TaskCompletionListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a task has decoded, and whether it still wants that. When it ends, it adds the sums to the accumulators of its
 * stage. Thread-safe.
 */
final class TaskReads {
    private static final Logger LOG = LoggerFactory.getLogger(TaskReads.class);

    private final LongAdder blocks;
    private final LongAdder bytes;
    private final BooleanSupplier ended;
    private final boolean patient;

    /** @param ended whether the task has ended, or is to end */
    TaskReads(BooleanSupplier ended) {
        this(new LongAdder(), new LongAdder(), ended, true);
    }

    private TaskReads(LongAdder blocks, LongAdder bytes, BooleanSupplier ended, boolean patient) {
        this.blocks = blocks;
        this.bytes = bytes;
        this.ended = ended;
        this.patient = patient;
    }

    /** The same task, for a block that is wanted only until it has come in another way. */
    TaskReads unless(BooleanSupplier come) {
        return new TaskReads(blocks, bytes, () -> come.getAsBoolean() || hasEnded(), patient);
    }

    /** The same task, for a block that is still to come in another way: its decoding holds up no others longer than until an answer is late. */
    TaskReads impatient() {
        return new TaskReads(blocks, bytes, ended, false);
    }

    /** Whether late answers are waited for, because the block comes in no other way. */
    boolean isPatient() {
        return patient;
    }

    /** @param accumulators gives those of a stage: {@link StageReads#accumulators} */
    static TaskReads of(TaskContext task, IntFunction<byte[]> accumulators) {
        TaskReads reads = new TaskReads(() -> task.isCompleted() || task.isInterrupted());
        task.addTaskCompletionListener((TaskCompletionListener) ended -> reads.tell(ended, accumulators));
        return reads;
    }

    /** A block has been decoded. */
    void add(long size) {
        blocks.increment();
        bytes.add(size);
    }

    /** Whether the task has ended, or was killed, or has the block: nobody wants what is decoded. */
    boolean hasEnded() {
        return ended.getAsBoolean();
    }

    private void tell(TaskContext task, IntFunction<byte[]> accumulators) {
        if (blocks.sum() == 0) {
            return;
        }
        // An accumulator that is read in the thread of a task belongs to the task.
        try (ObjectInputStream in =
                new ObjectInputStream(new ByteArrayInputStream(accumulators.apply(task.stageId())))) {
            ((LongAccumulator) in.readObject()).add(blocks.sum());
            ((LongAccumulator) in.readObject()).add(bytes.sum());
        } catch (IOException | ClassNotFoundException | RuntimeException e) {
            LOG.info("it is not counted that a task has decoded {} blocks: {}", blocks, e.getMessage());
        }
    }
}
