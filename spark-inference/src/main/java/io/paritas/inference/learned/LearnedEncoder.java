/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.PublicApi;
import io.paritas.inference.Model;
import io.paritas.inference.learned.CodePlan.ChannelOrder;
import java.util.ArrayList;
import java.util.List;

/** Makes the parity queries of a group with a loaded encoder network. Thread-safe if the model is. */
@PublicApi
public final class LearnedEncoder {
    private final CodePlan plan;
    private final Model network;
    private final int channels;
    private final int pixels;

    /**
     * @param network the {@linkplain LearnedCode#encoder encoder} of the code
     * @param shape of a query: (channels, height, width)
     */
    public LearnedEncoder(LearnedCode code, Model network, List<Integer> shape) {
        this.plan = code.plan();
        this.network = network;
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

    /**
     * The r parity queries of a group.
     *
     * @param queries exactly k, because the code was learned for full groups; fill up the last group with queries that have
     *     their predictions already
     */
    public List<float[]> encode(List<float[]> queries) {
        if (queries.size() != plan.k()) {
            throw new IllegalArgumentException(
                    "a learned code encodes exactly k = " + plan.k() + " queries, got " + queries.size());
        }
        float[] planes = swap(join(queries), plan.k(), channels);
        float[] encoded = swap(network.predict(planes), channels, plan.r());
        List<float[]> parities = new ArrayList<>();
        for (int parity = 0; parity < plan.r(); parity++) {
            float[] query = new float[channels * pixels];
            System.arraycopy(encoded, parity * query.length, query, 0, query.length);
            parities.add(query);
        }
        return parities;
    }

    private float[] join(List<float[]> queries) {
        float[] joined = new float[queries.size() * channels * pixels];
        for (int i = 0; i < queries.size(); i++) {
            if (queries.get(i).length != channels * pixels) {
                throw new IllegalArgumentException(
                        "every query must have " + channels * pixels + " values, got " + queries.get(i).length);
            }
            System.arraycopy(queries.get(i), 0, joined, i * channels * pixels, channels * pixels);
        }
        return joined;
    }

    /** Planes [outer][inner] to [inner][outer], as {@link Arrangement} does for training. */
    private float[] swap(float[] planes, int outer, int inner) {
        if (plan.channels() == ChannelOrder.PUBLISHED) {
            return planes;
        }
        float[] swapped = new float[planes.length];
        for (int i = 0; i < outer; i++) {
            for (int j = 0; j < inner; j++) {
                System.arraycopy(planes, (i * inner + j) * pixels, swapped, (j * outer + i) * pixels, pixels);
            }
        }
        return swapped;
    }
}
