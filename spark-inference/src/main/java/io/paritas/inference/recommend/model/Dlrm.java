/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import io.paritas.inference.Device;
import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.torch.LibTorch;

/**
 * Computes gradients and predictions of a model. The parameters come with each call and are not kept. Equal arguments and
 * threads give equal bits on one machine. Not thread-safe.
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
     * Opens a model on LibTorch. The first call in a JVM loads it, which takes seconds and about 450 MB of disk.
     *
     * @param threads threads of an operation; 1 is best where tasks run side by side
     * @throws io.paritas.inference.ModelException if LibTorch does not work here; the message says what it needs
     */
    public static Dlrm open(DlrmShape shape, int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be at least 1, got " + threads);
        }
        LibTorch.start(Device.CPU, threads);
        return new Dlrm(shape, new TorchNetwork(shape, threads));
    }

    /** The architecture of the model. */
    public DlrmShape shape() {
        return shape;
    }

    /**
     * Returns the gradients of a batch.
     *
     * @param network all parameters of the networks
     * @param rows embedding rows (ids, dimension), in the order of the batch's ids
     * @throws IllegalArgumentException if an array does not fit the model and the batch
     */
    public Gradients gradients(MiniBatch batch, float[] network, float[] rows) {
        check(batch, network, rows);
        DenseNetwork.Result result = this.network.gradients(batch, network, pooling.sums(batch, rows));
        return new Gradients(
                result.loss(), result.logits(), result.parameters(), pooling.gradients(batch, result.pooled()));
    }

    /** Returns the logits of a batch; the sigmoid of a logit is the prediction. Arguments are those of {@link #gradients}. */
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
            throw new IllegalArgumentException(what + " must have " + wanted + " numbers, got " + found);
        }
    }

    @Override
    public void close() {
        network.close();
    }
}
