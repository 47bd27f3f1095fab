/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.PublicApi;
import io.paritas.inference.Device;
import io.paritas.inference.Hardware;
import io.paritas.inference.Model;
import io.paritas.inference.StoredInput;
import io.paritas.inference.StoredRows;
import io.paritas.inference.TensorSpec;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A folded model that takes and returns rows as the original does: f consecutive rows of the batch are a stack. A last stack that
 * is not full is filled with copies of its last row. Thread-safe if the folded model is; closing it closes that one.
 *
 * <p>Unlike with other models, a prediction depends slightly on the other rows of its stack: 1 to 2 % of predictions change with
 * the order of the images (thesis, 9.5.3). Rows that must not influence each other, such as those of different tenants, must be in
 * different batches.
 */
@PublicApi
public final class FoldedModel implements Model {
    private final Model folded;
    private final int fold;
    private final TensorSpec input;
    private final TensorSpec output;

    /**
     * Wraps a folded model.
     *
     * @param fold images in a stack
     * @throws IllegalArgumentException if the model's channels or outputs are not divisible by the fold
     */
    public FoldedModel(Model folded, int fold) {
        this.folded = folded;
        this.fold = fold;
        this.input = Stacks.unfolded(folded.input(), fold);
        this.output = Stacks.unfolded(folded.output(), fold);
    }

    /** The input of one image. */
    @Override
    public TensorSpec input() {
        return input;
    }

    /** The scores of one image. */
    @Override
    public TensorSpec output() {
        return output;
    }

    @Override
    public Device device() {
        return folded.device();
    }

    @Override
    public Hardware hardware() {
        return folded.hardware();
    }

    /** Images in a stack. */
    public int fold() {
        return fold;
    }

    @Override
    public void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        require(rows > 0 && inputs.isDirect() && outputs.isDirect(), rows, inputs, outputs);
        if (outputs.isReadOnly()) {
            throw new IllegalArgumentException("the outputs must be writable, got a read-only buffer");
        }
        require((long) rows * input.size() <= inputs.remaining(), rows, inputs, outputs);
        require((long) rows * output.size() <= outputs.remaining(), rows, inputs, outputs);
        int stacks = rows / fold;
        int from = inputs.position();
        int to = outputs.position();
        try {
            if (stacks > 0) {
                folded.predict(stacks, inputs, outputs);
            }
            if (rows % fold > 0) {
                lastStack(rows % fold, inputs, outputs);
            }
        } catch (RuntimeException e) {
            inputs.position(from); // of all rows, or none
            outputs.position(to);
            throw e;
        }
    }

    @Override
    public Optional<StoredInput> storedInput() {
        return folded.storedInput().map(stored -> (rows, outputs) -> predict(stored, rows, outputs));
    }

    private void predict(StoredInput stored, StoredRows rows, FloatBuffer outputs) {
        int last = rows.rows() % fold;
        int full = rows.rows() - last;
        if (full > 0) {
            stored.predict(stacks(rows.part(0, full)), outputs);
        }
        if (last > 0) {
            FloatBuffer scores = Model.direct(fold * output.size());
            stored.predict(stacks(padded(rows.part(full, last))), scores);
            outputs.put(scores.flip().limit(last * output.size()));
        }
    }

    /** The same values as images with f times the channels. */
    private StoredRows stacks(StoredRows rows) {
        return new StoredRows(
                rows.rows() / fold, rows.type(), rows.values(), ofStack(rows.factors()), ofStack(rows.offsets()));
    }

    private List<Float> ofStack(List<Float> ofImage) {
        return Collections.nCopies(ofImage.size() == 1 ? 1 : fold, ofImage).stream()
                .flatMap(List::stream)
                .toList();
    }

    private StoredRows padded(StoredRows rows) {
        int bytes = rows.size() * rows.type().bytes();
        ByteBuffer stack = ByteBuffer.allocate(fold * bytes);
        for (int row = 0; row < fold; row++) {
            stack.put(rows.part(Math.min(row, rows.rows() - 1), 1).values());
        }
        return new StoredRows(fold, rows.type(), stack.flip(), rows.factors(), rows.offsets());
    }

    /**
     * How far a stack's answers are from those that its images have in other places; costs a stack.
     *
     * @param inputs images, from position 0 on; the buffer stays as it is
     * @param outputs what was predicted for them
     * @return {@link StackCheck#turned} of the first stack; 0 if it is not full
     */
    public double disagreement(FloatBuffer inputs, float[] outputs) {
        if (fold < 2 || inputs.limit() < fold * input.size()) {
            return 0;
        }
        float[] stack = new float[fold * input.size()];
        inputs.get(0, stack);
        return new StackCheck(folded, fold).turned(stack, Arrays.copyOf(outputs, fold * output.size()));
    }

    private void lastStack(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        int end = inputs.position() + rows * input.size();
        FloatBuffer stack = Model.direct(fold * input.size());
        Stacks.fill(stack, inputs.duplicate().limit(end), input.size());
        FloatBuffer scores = Model.direct(fold * output.size());
        folded.predict(1, stack, scores);
        outputs.put(scores.flip().limit(rows * output.size()));
        inputs.position(end);
    }

    private void require(boolean fits, int rows, FloatBuffer inputs, FloatBuffer outputs) {
        if (!fits) {
            throw new IllegalArgumentException("a batch of " + rows + " rows, at least 1, needs direct buffers with "
                    + input.size() + " inputs and " + output.size() + " outputs for each row, got " + text(inputs)
                    + " and " + text(outputs));
        }
    }

    private static String text(FloatBuffer buffer) {
        return (buffer.isDirect() ? "a direct one of " : "one on the heap of ") + buffer.remaining();
    }

    @Override
    public void close() {
        folded.close();
    }
}
