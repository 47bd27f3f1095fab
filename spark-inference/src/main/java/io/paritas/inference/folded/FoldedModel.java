/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import io.paritas.PublicApi;
import io.paritas.inference.CheckedModel;
import io.paritas.inference.Device;
import io.paritas.inference.Hardware;
import io.paritas.inference.Model;
import io.paritas.inference.SpareBuffers;
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
    /* For last stacks. */
    private final SpareBuffers stackBuffers = new SpareBuffers();
    private final SpareBuffers scoreBuffers = new SpareBuffers();

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
        CheckedModel.requireInputs(rows, input, inputs);
        CheckedModel.requireOutputs(rows, output, outputs);
        FloatBuffer from = inputs.duplicate(); // the positions advance by all rows, or none
        FloatBuffer to = outputs.duplicate();
        if (rows >= fold) {
            folded.predict(rows / fold, from, to);
        }
        if (rows % fold > 0) {
            lastStack(rows % fold, from, to);
        }
        inputs.position(from.position());
        outputs.position(to.position());
    }

    @Override
    public Optional<StoredInput> storedInput() {
        return folded.storedInput().map(stored -> (rows, outputs) -> predict(stored, rows, outputs));
    }

    private void predict(StoredInput stored, StoredRows rows, FloatBuffer outputs) {
        CheckedModel.requireOutputs(rows.rows(), output, outputs);
        FloatBuffer to = outputs.duplicate();
        int last = rows.rows() % fold;
        int full = rows.rows() - last;
        if (full > 0) {
            stored.predict(stacks(rows.part(0, full)), to);
        }
        if (last > 0) {
            FloatBuffer scores = scoreBuffers.take(fold * output.size());
            stored.predict(stacks(padded(rows.part(full, last))), scores);
            to.put(scores.flip().limit(last * output.size()));
            scoreBuffers.giveBack(scores);
        }
        outputs.position(to.position());
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
        FloatBuffer stack = stackBuffers.take(fold * input.size());
        Stacks.fill(stack, inputs.duplicate().limit(end), input.size());
        FloatBuffer scores = scoreBuffers.take(fold * output.size());
        folded.predict(1, stack, scores);
        outputs.put(scores.flip().limit(rows * output.size()));
        stackBuffers.giveBack(stack);
        scoreBuffers.giveBack(scores);
        inputs.position(end);
    }

    @Override
    public void close() {
        folded.close();
    }
}
