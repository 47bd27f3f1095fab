/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.inference.data.Inputs;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Stacks of images that are drawn at random, as a folded network takes them.
 *
 * @param images one each
 * @param stacks numbers of images, f for each stack
 * @param fold images in a stack
 */
record StackedInputs(Inputs images, int[] stacks, int fold) implements Inputs {
    private static final int STACKS = 5_000;

    StackedInputs(Inputs images, int fold, long seed) {
        this(
                images,
                new Random(seed).ints((long) STACKS * fold, 0, images.count()).toArray(),
                fold);
    }

    @Override
    public int count() {
        return STACKS;
    }

    @Override
    public List<Integer> shape() {
        List<Integer> shape = new ArrayList<>(images.shape());
        shape.set(0, fold * shape.get(0));
        return shape;
    }

    @Override
    public void copy(int index, float[] into, int offset) {
        IntStream.range(0, fold)
                .forEach(place -> images.copy(stacks[index * fold + place], into, offset + place * images.size()));
    }
}
