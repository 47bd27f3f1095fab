/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.nio.FloatBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;

/**
 * Picks batches of an executor's predictions at random: its first one, and a share of the others. Keeps copies of a few until they
 * are taken, and drops what is more. Thread-safe.
 */
public final class Sampler {
    /** Bytes of a sample's inputs; of a larger batch, the first rows are taken. */
    private static final int MOST_BYTES = 4 << 20;

    private static final int MOST_WAITING = 4;

    private final SplittableRandom random;
    private final Queue<Sample> waiting = new ArrayDeque<>();
    private double share;
    private long untilNext;
    private long dropped;

    /**
     * A sampler.
     *
     * @param share the share of all batches, from 0 (none, not even the first) to 1
     * @param seed of the choice
     */
    public Sampler(double share, long seed) {
        this.random = new SplittableRandom(seed);
        this.share = share;
        this.untilNext = 1;
    }

    /** Changes the share, from the next batch that is picked on, or at once if it becomes larger. */
    public synchronized void share(double wanted) {
        if (wanted > share) {
            untilNext = Math.min(untilNext, gap(wanted));
        }
        share = wanted;
    }

    /**
     * Looks at a batch that was predicted, and copies it if it is picked.
     *
     * @param model name of the model
     * @param fold images in a stack, 1 for an ordinary model
     * @param rows number of rows
     * @param inputs the inputs, from position 0 on; the buffer stays as it is
     * @param outputs the predictions
     */
    public void offer(String model, int fold, int rows, FloatBuffer inputs, float[] outputs) {
        if (isPicked()) {
            add(sample(model, fold, rows, inputs, outputs, Reason.CHANCE));
        }
    }

    /** Copies a batch of a folded model whose stacks do not agree. */
    void audit(String model, int fold, int rows, FloatBuffer inputs, float[] outputs) {
        add(sample(model, fold, rows, inputs, outputs, Reason.FOLDED));
    }

    private static Sample sample(String model, int fold, int rows, FloatBuffer inputs, float[] outputs, Reason reason) {
        int inputSize = inputs.limit() / rows;
        int outputSize = outputs.length / rows;
        int taken = Math.min(rows, wholeStacks(MOST_BYTES / Float.BYTES / inputSize, rows, fold));
        float[] copy = new float[taken * inputSize];
        inputs.get(0, copy);
        return new Sample(model, fold, taken == rows, taken, copy, Arrays.copyOf(outputs, taken * outputSize), reason);
    }

    /** Rows to take, at least a stack: an answer depends on the other images of its stack. */
    private static int wholeStacks(int room, int rows, int fold) {
        return room >= rows ? rows : Math.max(fold, room / fold * fold);
    }

    /** Whether batches are picked. */
    public synchronized boolean isOn() {
        return share > 0;
    }

    private synchronized boolean isPicked() {
        if (share <= 0) {
            return false;
        }
        untilNext--;
        if (untilNext > 0) {
            return false;
        }
        untilNext = gap(share);
        if (waiting.size() >= MOST_WAITING) {
            dropped++;
            return false;
        }
        return true;
    }

    /** Batches to the next one that is picked, if each is picked with that probability. */
    private long gap(double probability) {
        return probability >= 1 ? 1 : 1 + (long) (Math.log(1 - random.nextDouble()) / Math.log1p(-probability));
    }

    /** Adds what is to be audited, unless too many wait. */
    public synchronized void add(Sample sample) {
        if (waiting.size() >= 2 * MOST_WAITING) {
            dropped++;
            return;
        }
        waiting.add(sample);
    }

    /** Takes the batch that has waited for longest. */
    public synchronized Optional<Sample> take() {
        return Optional.ofNullable(waiting.poll());
    }

    /** Batches that were picked while too many waited. */
    public synchronized long dropped() {
        return dropped;
    }
}
