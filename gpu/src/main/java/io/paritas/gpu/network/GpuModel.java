/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.Gpu;
import io.paritas.gpu.GpuException;
import io.paritas.inference.CheckedModel;
import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.TensorSpec;
import java.nio.FloatBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/** A network on the GPU. Threads share its weights; as many batches run at a time as there are lanes, others wait. */
final class GpuModel extends CheckedModel {
    private final DeviceNetwork network;
    private final int mostRows;
    private final Semaphore free;
    private final Queue<Lane> idle = new ConcurrentLinkedQueue<>();

    private GpuModel(TensorSpec input, TensorSpec output, DeviceNetwork network, Limits limits) {
        super(input, output, Device.CUDA);
        this.network = network;
        this.mostRows = limits.rows(network.plan());
        this.free = new Semaphore(limits.lanes());
    }

    /**
     * What a model may take of the GPU.
     *
     * @param lanes batches that run at a time
     * @param bytes of the arena of each
     */
    record Limits(int lanes, long bytes) {
        /** The largest batch, and no graph for a larger one. */
        private static final int MOST_ROWS = 1024;

        /** The largest power of two of rows whose arena fits; at least 1. */
        int rows(NetworkPlan plan) {
            int rows = MOST_ROWS;
            while (rows > 1 && !fits(plan, rows)) {
                rows /= 2;
            }
            return rows;
        }

        private boolean fits(NetworkPlan plan, int rows) {
            return plan.uses(rows).stream().allMatch(use -> use.bytes() < Integer.MAX_VALUE)
                    && plan.arena(rows).bytes() <= bytes;
        }
    }

    /**
     * Uploads a network and predicts a row of zeros, so that a model that cannot run fails now.
     *
     * @throws GpuException if the GPU fails, or has not enough memory
     */
    static GpuModel load(TensorSpec input, TensorSpec output, NetworkPlan plan, Limits limits) {
        Gpu.get().bind();
        DeviceNetwork network = new DeviceNetwork(plan);
        GpuModel model = new GpuModel(input, output, network, limits);
        try {
            model.run(1, Model.direct(input.size()), Model.direct(output.size()));
        } catch (RuntimeException | Error e) {
            model.close();
            throw e;
        }
        return model;
    }

    @Override
    protected void compute(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        try {
            Gpu.get().bind();
            run(rows, inputs, outputs);
        } catch (GpuException e) {
            throw new ModelException(
                    "gpu cannot predict " + rows + " rows of " + input() + " into " + output() + " on " + Gpu.get()
                            + ": " + e.getMessage(),
                    e);
        }
    }

    private void run(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        free.acquireUninterruptibly();
        try {
            Lane used = idle.poll();
            Lane lane = used == null ? new Lane(network) : used;
            try {
                for (int row = 0; row < rows; row += mostRows) {
                    int some = Math.min(mostRows, rows - row);
                    lane.run(some, part(inputs, row, some, input()), part(outputs, row, some, output()));
                }
            } finally {
                idle.add(lane);
            }
        } finally {
            free.release();
        }
    }

    private static FloatBuffer part(FloatBuffer buffer, int row, int rows, TensorSpec spec) {
        return buffer.slice(row * spec.size(), rows * spec.size());
    }

    @Override
    protected void free() {
        Gpu.get().bind();
        idle.forEach(Lane::close);
        network.close();
    }
}
