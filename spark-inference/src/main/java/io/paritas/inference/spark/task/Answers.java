/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Outcome;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import org.apache.spark.unsafe.Platform;

/** The answers to the rows of a batch: for each a prediction, or the reason why there is none. Not thread-safe. */
final class Answers {
    private static final Outcome[] OUTCOMES = Outcome.values();

    private final int size;
    private final float[] values;
    private final Outcome[] outcomes;
    private final String[] errors;
    private GroupShape shape;
    private float largestInput;

    /** Creates answers without predictions: all rows are unavailable. */
    Answers(int rows, int size) {
        this(size, new float[Math.multiplyExact(rows, size)], new Outcome[rows], new String[rows]);
        Arrays.fill(outcomes, Outcome.UNAVAILABLE);
    }

    private Answers(int size, float[] values, Outcome[] outcomes, String[] errors) {
        this.size = size;
        this.values = values;
        this.outcomes = outcomes;
        this.errors = errors;
    }

    /** Creates answers from the predictions of the model; the array is not copied. */
    static Answers predicted(int size, float[] values) {
        Outcome[] outcomes = new Outcome[values.length / size];
        Arrays.fill(outcomes, Outcome.PREDICTED);
        return new Answers(size, values, outcomes, new String[outcomes.length]);
    }

    /** Creates answers in which all rows are unavailable for one reason. */
    static Answers unavailable(int rows, int size, String reason) {
        Answers answers = new Answers(rows, size);
        Arrays.fill(answers.errors, reason);
        return answers;
    }

    int rows() {
        return outcomes.length;
    }

    Outcome outcome(int row) {
        return outcomes[row];
    }

    /** The shape of the group for answers to a parity batch; null for others. */
    GroupShape shape() {
        return shape;
    }

    /** Marks these answers as those to a parity batch of a group. */
    Answers of(GroupShape group) {
        shape = group;
        return this;
    }

    /** All predictions, row by row; not a copy. */
    float[] values() {
        return values;
    }

    /** Magnitude of all inputs of these rows; 0 if nobody asked for it. */
    float largestInput() {
        return largestInput;
    }

    void largestInput(float magnitude) {
        largestInput = magnitude;
    }

    /** Why a row is unavailable. */
    String error(int row) {
        return errors[row];
    }

    /** A copy of a row's prediction; null if there is none. */
    float[] prediction(int row) {
        return outcomes[row] == Outcome.UNAVAILABLE ? null : Arrays.copyOfRange(values, row * size, (row + 1) * size);
    }

    void set(int row, float[] prediction, Outcome outcome) {
        System.arraycopy(prediction, 0, values, row * size, size);
        outcomes[row] = outcome;
    }

    /** Copies the answers of another to the rows that are unavailable here. */
    void fill(Answers other) {
        for (int row = 0; row < rows(); row++) {
            if (outcomes[row] == Outcome.UNAVAILABLE) {
                System.arraycopy(other.values, row * size, values, row * size, size);
                outcomes[row] = other.outcomes[row];
                errors[row] = other.errors[row];
            }
        }
    }

    int count(Outcome outcome) {
        int count = 0;
        for (Outcome each : outcomes) {
            count += each == outcome ? 1 : 0;
        }
        return count;
    }

    /** Copies a row's prediction to memory that Spark's {@link Platform} knows. */
    void copyPrediction(int row, Object to, long offset) {
        long bytes = (long) size * Float.BYTES;
        Platform.copyMemory(values, Platform.FLOAT_ARRAY_OFFSET + row * bytes, to, offset, bytes);
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(rows());
        out.writeInt(size);
        out.writeFloat(largestInput);
        out.writeByte(shape == null ? 0 : shape.k());
        for (int slot = 0; shape != null && slot < shape.k(); slot++) {
            out.writeInt(shape.rows(slot));
        }
        byte[] bytes = new byte[rows() + values.length * Float.BYTES];
        for (int row = 0; row < rows(); row++) {
            bytes[row] = (byte) outcomes[row].ordinal();
        }
        floats(bytes).put(values);
        out.write(bytes);
        for (int row = 0; row < rows(); row++) {
            if (outcomes[row] == Outcome.UNAVAILABLE) {
                out.writeUTF(Texts.limited(errors[row]));
            }
        }
    }

    /** The values behind the outcomes. */
    private FloatBuffer floats(byte[] bytes) {
        return ByteBuffer.wrap(bytes, rows(), bytes.length - rows())
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer();
    }

    /** Takes memory for as many answers as there are, whatever their number says. */
    static Answers read(DataInputStream in) throws IOException {
        int rows = in.readInt();
        int size = in.readInt();
        float largestInput = in.readFloat();
        int[] batches = new int[in.readByte()];
        for (int slot = 0; slot < batches.length; slot++) {
            batches[slot] = in.readInt();
        }
        long length = rows + (long) rows * size * Float.BYTES;
        if (rows < 0 || size < 0 || length < 0 || length > Integer.MAX_VALUE) {
            throw new IOException(rows + " answers of " + size + " values cannot be: the bytes are damaged");
        }
        byte[] bytes = in.readNBytes((int) length);
        if (bytes.length < length) {
            throw new EOFException(
                    rows + " answers of " + size + " values must have " + length + " bytes, there are " + bytes.length);
        }
        Answers answers = new Answers(rows, size);
        answers.largestInput = largestInput;
        answers.shape = batches.length == 0 ? null : new GroupShape(batches);
        answers.floats(bytes).get(answers.values);
        for (int row = 0; row < rows; row++) {
            answers.outcomes[row] = OUTCOMES[bytes[row]];
            if (answers.outcomes[row] == Outcome.UNAVAILABLE) {
                answers.errors[row] = in.readUTF();
            }
        }
        return answers;
    }
}
