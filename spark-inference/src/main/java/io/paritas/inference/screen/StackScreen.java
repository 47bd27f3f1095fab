/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import io.paritas.inference.ModelException;
import io.paritas.inference.folded.FoldedModel;
import java.nio.FloatBuffer;
import java.util.SplittableRandom;

/**
 * Predicts a stack of some batches of folded models once more, with its images in other places. A batch whose answers differ by more
 * than those of sound stacks is audited. Thread-safe.
 */
public final class StackScreen {
    private final double share;
    private final SplittableRandom random;
    private final Sampler suspects;
    private long checked;

    /**
     * A screen.
     *
     * @param share the share of all batches, from 0 to 1
     * @param seed of the choice
     * @param suspects gets the batches to audit
     */
    public StackScreen(double share, long seed, Sampler suspects) {
        this.share = share;
        this.random = new SplittableRandom(seed);
        this.suspects = suspects;
    }

    /**
     * Looks at a batch that was predicted, and checks its first stack if it is picked.
     *
     * @param name of the model
     * @param bound the distance that sound answers seldom exceed
     * @param rows number of rows
     * @param inputs the inputs, from position 0 on; the buffer stays as it is
     * @param outputs the predictions
     */
    public void offer(String name, FoldedModel model, double bound, int rows, FloatBuffer inputs, float[] outputs) {
        if (isPicked() && disagreement(model, inputs, outputs) > bound) {
            suspects.audit(name, model.fold(), rows, inputs, outputs);
        }
    }

    /** The batch is answered, whatever comes of the check. */
    private static double disagreement(FoldedModel model, FloatBuffer inputs, float[] outputs) {
        try {
            return model.disagreement(inputs, outputs);
        } catch (ModelException e) {
            return Double.POSITIVE_INFINITY;
        } catch (OutOfMemoryError e) { // off-heap memory is short, which says nothing of the answers
            return 0;
        }
    }

    /** Whether stacks are checked. */
    public boolean isOn() {
        return share > 0;
    }

    private synchronized boolean isPicked() {
        boolean picked = share > 0 && random.nextDouble() < share;
        checked += picked ? 1 : 0;
        return picked;
    }

    /** The batches that were checked since this was asked last. */
    public synchronized long take() {
        long count = checked;
        checked = 0;
        return count;
    }
}
