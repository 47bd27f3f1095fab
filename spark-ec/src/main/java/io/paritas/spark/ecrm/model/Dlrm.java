/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.model;

import io.paritas.spark.ecrm.data.MiniBatch;

/**
 * Computes with a model whose parameters others keep: they come with each call, and nothing of them stays here. Equal arguments
 * and threads give equal bits on one machine. For one thread at a time.
 */
public final class Dlrm implements AutoCloseable {
    private final DlrmShape shape;
    private final Pooling pooling;
    private final DenseNetwork network;

    Dlrm(DlrmShape shape, DenseNetwork network) {
        this.shape = shape;
        this.pooling = new Pooling(shape.tables(), shape.dimension());
        this.network = network;
    }

    /**
     * On LibTorch, which the first call in a JVM loads: that takes seconds, and about 450 MB of disk.
     *
     * @param threads that compute; 1 is best where tasks run side by side
     * @throws IllegalStateException if LibTorch does not work here; the message says what it needs
     */
    public static Dlrm open(DlrmShape shape, int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("At least one thread computes; got " + threads);
        }
        LibTorch.require();
        return new Dlrm(shape, new TorchNetwork(shape, threads));
    }

    /** How the model is built. */
    public DlrmShape shape() {
        return shape;
    }

    /**
     * What a batch teaches.
     *
     * @param network all parameters of the networks
     * @param rows the embedding rows (ids, dimension), in the order of the batch's ids
     * @throws IllegalArgumentException if there are too many or too few numbers
     */
    public Gradients gradients(MiniBatch batch, float[] network, float[] rows) {
        check(batch, network, rows);
        DenseNetwork.Result result = this.network.gradients(batch, network, pooling.sums(batch, rows));
        return new Gradients(
                result.loss(), result.logits(), result.parameters(), pooling.gradients(batch, result.pooled()));
    }

    /** The logits of a batch, with the arguments of {@link #gradients}; a prediction is the sigmoid of its logit. */
    public float[] logits(MiniBatch batch, float[] network, float[] rows) {
        check(batch, network, rows);
        return this.network.logits(batch, network, pooling.sums(batch, rows));
    }

    private void check(MiniBatch batch, float[] network, float[] rows) {
        require("the networks", network.length, shape.parameterCount());
        require("the embedding rows of " + batch, rows.length, pooling.rowsLength(batch));
        require("the dense part of " + batch, batch.dense().length, batch.size() * shape.denseFeatures());
    }

    private static void require(String what, int found, int wanted) {
        if (found != wanted) {
            throw new IllegalArgumentException("Parameters and batches fit the model: " + what + " should have "
                    + wanted + " numbers; got " + found);
        }
    }

    @Override
    public void close() {
        network.close();
    }
}
