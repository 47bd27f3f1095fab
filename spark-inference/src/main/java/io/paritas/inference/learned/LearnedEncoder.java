/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.PublicApi;
import io.paritas.inference.Model;
import io.paritas.inference.learned.CodePlan.ChannelMix;
import io.paritas.inference.parity.GroupEncoder;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Makes the parity queries of a group with a loaded encoder network. In a group that is not full, the first query stands for every
 * absent one. A lonely query is its own parity query: the deployed model answers that, so the answer is the prediction. Thread-safe if
 * the model is.
 */
@PublicApi
public final class LearnedEncoder implements GroupEncoder {
    /* Groups that the network gets at once: few enough for the memory of wide networks, and of large images. */
    private static final int MOST_GROUPS = 64;
    private static final long MOST_VALUES = 1 << 26;

    private final CodePlan plan;
    private final Model network;
    private final List<Integer> shape;
    private final int channels;
    private final int pixels;

    /**
     * An encoder.
     *
     * @param network the {@linkplain LearnedCode#encoder encoder} of the code
     * @param shape of a query: (channels, height, width)
     * @throws IllegalArgumentException if the network or the shape does not fit
     */
    public LearnedEncoder(CodePlan plan, Model network, List<Integer> shape) {
        plan.require(shape);
        this.plan = plan;
        this.network = network;
        this.shape = List.copyOf(shape);
        this.channels = shape.get(0);
        this.pixels = shape.get(1) * shape.get(2);
        boolean fits =
                network.input().size() == plan.k() * pixels && network.output().size() == plan.r() * pixels;
        if (!fits) {
            throw new IllegalArgumentException(
                    "an encoder of k = " + plan.k() + " and r = " + plan.r() + " for queries of "
                            + shape + " must go from " + plan.k() * pixels + " to " + plan.r() * pixels
                            + " values, this one goes from "
                            + network.input() + " to " + network.output());
        }
    }

    @Override
    public float[] encode(List<float[]> queries, int parity) {
        for (float[] query : queries) {
            if (query.length != channels * pixels) {
                throw new IllegalArgumentException("every query must have the " + channels * pixels
                        + " values of shape " + shape + ", got " + query.length);
            }
        }
        float[] result = new float[channels * pixels];
        encode(queries, parity, 0, 1, result);
        return result;
    }

    @Override
    public void encode(List<float[]> batches, int parity, int from, int to, float[] into) {
        encode(batches, from, to, Map.of(parity, into));
    }

    @Override
    public void encode(List<float[]> batches, int from, int to, List<float[]> into) {
        encode(batches, from, to, IntStream.range(0, into.size()).boxed().collect(Collectors.toMap(i -> i, into::get)));
    }

    private void encode(List<float[]> batches, int from, int to, Map<Integer, float[]> into) {
        plan.requireMembers(batches.size());
        into.keySet().forEach(plan::requireParity);
        int size = channels * pixels;
        if (batches.size() == 1) {
            into.values()
                    .forEach(made ->
                            System.arraycopy(batches.get(0), from * size, made, from * size, (to - from) * size));
            return;
        }
        int atOnce = atOnce(plan.k(), size);
        for (int group = from; group < to; group += atOnce) {
            encodeSome(batches, group, Math.min(to, group + atOnce), into);
        }
    }

    /** Groups of k queries of that size: 64, or fewer that fill 256 MiB, but at least 1. */
    static int atOnce(int k, int size) {
        return (int) Math.max(1, Math.min(MOST_GROUPS, MOST_VALUES / ((long) k * size)));
    }

    private void encodeSome(List<float[]> batches, int from, int to, Map<Integer, float[]> into) {
        int k = plan.k();
        int size = channels * pixels;
        float[] planes = new float[(to - from) * k * size];
        for (int group = from; group < to; group++) {
            for (int place = 0; place < k; place++) {
                float[] batch = batches.get(place < batches.size() ? place : 0);
                System.arraycopy(batch, group * size, planes, ((group - from) * k + place) * size, size);
            }
        }
        float[] encoded = swap(network.predict(swap(planes, k, channels)), channels, plan.r());
        into.forEach((parity, made) -> {
            for (int group = from; group < to; group++) {
                System.arraycopy(encoded, ((group - from) * plan.r() + parity) * size, made, group * size, size);
            }
        });
    }

    /** Planes [group][outer][inner] to [group][inner][outer], as {@link Arrangement} does for training. */
    private float[] swap(float[] planes, int outer, int inner) {
        if (plan.channels() == ChannelMix.PUBLISHED) {
            return planes;
        }
        float[] swapped = new float[planes.length];
        int group = outer * inner;
        for (int at = 0; at < planes.length / pixels; at++) {
            int i = at % group / inner;
            int j = at % inner;
            int to = at - at % group + j * outer + i;
            System.arraycopy(planes, at * pixels, swapped, to * pixels, pixels);
        }
        return swapped;
    }
}
