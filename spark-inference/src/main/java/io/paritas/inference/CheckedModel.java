/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;

/**
 * The base of every engine's models. It refuses wrong batches before anything is read, and {@link #close} waits for running
 * predictions. An engine implements {@link #compute} and {@link #free}.
 */
public abstract class CheckedModel implements Model {
    private final String engine;
    private final TensorSpec input;
    private final TensorSpec output;
    private final Device device;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private boolean closed;

    /**
     * A loaded model.
     *
     * @param engine name of its engine
     * @param input input of one row
     * @param output output of one row
     * @param device {@link Device#CPU} or {@link Device#CUDA}
     */
    protected CheckedModel(String engine, TensorSpec input, TensorSpec output, Device device) {
        this.engine = engine;
        this.input = input;
        this.output = output;
        this.device = device;
    }

    /**
     * Predicts a batch; called by several threads at once, and never during or after {@link #free}.
     *
     * @param rows at least 1
     * @param inputs direct, in native order: rows × input().size() values from position 0 to the limit
     * @param outputs direct, in native order: room for rows × output().size() values from position 0 to the limit
     * @throws ModelException if the engine fails
     */
    protected abstract void compute(int rows, FloatBuffer inputs, FloatBuffer outputs);

    /** Frees native memory; called once. */
    protected abstract void free();

    @Override
    public final TensorSpec input() {
        return input;
    }

    @Override
    public final TensorSpec output() {
        return output;
    }

    @Override
    public final Device device() {
        return device;
    }

    @Override
    public Hardware hardware() {
        return device == Device.CPU ? Hardware.processor(engine) : Hardware.UNNAMED_GPU;
    }

    @Override
    public final void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        int read = requireInputs(rows, input, inputs);
        predict(rows, outputs, room -> compute(rows, inputs.slice(inputs.position(), read), room));
        inputs.position(inputs.position() + read);
    }

    /**
     * Predicts inputs that are not float32, by an engine's computation into room for the outputs, which never runs during or after
     * {@link #free}.
     */
    protected final void predict(int rows, FloatBuffer outputs, Consumer<FloatBuffer> computation) {
        int written = requireOutputs(rows, output, outputs);
        lock.readLock().lock();
        try {
            if (closed) {
                throw new IllegalStateException("the model with " + input + " is closed: load it again");
            }
            computation.accept(outputs.slice(outputs.position(), written));
        } catch (ModelException e) {
            throw device == Device.CPU ? ShortOfMemory.explained(e) : e; // the advice is about the host's memory
        } finally {
            lock.readLock().unlock();
        }
        outputs.position(outputs.position() + written);
    }

    /**
     * Checks the inputs of a batch, and returns how many values it takes.
     *
     * @throws IllegalArgumentException as {@link Model#predict(int, FloatBuffer, FloatBuffer)} has it
     */
    public static int requireInputs(int rows, TensorSpec input, FloatBuffer inputs) {
        if (rows < 1) {
            throw new IllegalArgumentException("a batch needs at least 1 row, got " + rows);
        }
        return values("inputs", rows, input, inputs);
    }

    /**
     * Checks the outputs of a batch, and returns how many values it writes.
     *
     * @throws IllegalArgumentException as {@link Model#predict(int, FloatBuffer, FloatBuffer)} has it
     */
    public static int requireOutputs(int rows, TensorSpec output, FloatBuffer outputs) {
        int needed = values("outputs", rows, output, outputs);
        if (outputs.isReadOnly()) {
            throw new IllegalArgumentException("the outputs must be writable, got a read-only buffer");
        }
        return needed;
    }

    private static int values(String what, int rows, TensorSpec spec, FloatBuffer buffer) {
        if (!buffer.isDirect() || buffer.order() != ByteOrder.nativeOrder()) {
            throw new IllegalArgumentException("the " + what + " must be a direct buffer in native byte order, got "
                    + (buffer.isDirect() ? "a direct one in " + buffer.order() : "one on the heap")
                    + ": make it with Model.direct");
        }
        long needed = (long) rows * spec.size();
        if (buffer.remaining() < needed) {
            throw new IllegalArgumentException("the " + what + " of " + rows + " rows of " + spec + " are " + needed
                    + " values, the buffer has only " + buffer.remaining() + " remaining");
        }
        return (int) needed;
    }

    @Override
    public final void close() {
        lock.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                free();
            }
        } finally {
            lock.writeLock().unlock();
        }
    }
}
