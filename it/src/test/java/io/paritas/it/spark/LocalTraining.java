/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

/** Trains a small model with parameter servers, and beside them on one machine: whatever is read must be the same, bit for bit. */
final class LocalTraining {
    private static final int ROWS = 3000;
    private static final int WIDTH = 8;
    private static final Optimizer OPTIMIZER = new Optimizer.Adagrad(0.1f, 1e-6f);
    private static final Initializer INITIAL = new Initializer(1, -1, 1);

    /** What one machine would have. */
    private float[][] rows = new float[ROWS][WIDTH + OPTIMIZER.state(WIDTH)];

    private float[] block = new float[10 + OPTIMIZER.state(10)];
    private final Random random = new Random(5);
    private float[][] savedRows = rows;
    private float[] savedBlock = block;

    LocalTraining() {
        for (int row = 0; row < ROWS; row++) {
            INITIAL.fill(row, rows[row], WIDTH);
        }
        INITIAL.fill(0, block, 10);
    }

    static ModelSpec model(int servers, Redundancy redundancy) {
        return new ModelSpec(
                servers,
                redundancy,
                List.of(new TableSpec(ROWS, WIDTH, OPTIMIZER, INITIAL)),
                List.of(new BlockSpec(10, OPTIMIZER, INITIAL)));
    }

    /** With one worker, so that the updates are in order. */
    void train(ParameterClient client, int iterations) throws InterruptedException {
        for (int iteration = 0; iteration < iterations; iteration++) {
            long[] some = random.longs(20, 0, ROWS).distinct().toArray();
            float[] pulled = client.pullRows(0, some);
            float[] gradients = new float[pulled.length];
            for (int i = 0; i < some.length; i++) {
                int row = (int) some[i];
                assertThat(Arrays.copyOfRange(pulled, i * WIDTH, (i + 1) * WIDTH))
                        .isEqualTo(Arrays.copyOf(rows[row], WIDTH));
                for (int at = 0; at < WIDTH; at++) {
                    gradients[i * WIDTH + at] = pulled[i * WIDTH + at] - row % 7;
                }
            }
            float[] gradient = client.pullBlocks(new int[] {0});
            assertThat(gradient).isEqualTo(Arrays.copyOf(block, 10));
            client.push(List.of(new RowGradients(0, some, gradients)), List.of(new BlockGradient(0, gradient)));
            for (int i = 0; i < some.length; i++) {
                step(OPTIMIZER, rows[(int) some[i]], WIDTH, gradients, i * WIDTH);
            }
            step(OPTIMIZER, block, 10, gradient, 0);
        }
    }

    /**
     * Makes one update.
     *
     * @param all the parameters, then their state; changed in place
     * @param width number of parameters
     * @param gradients array with the gradient
     * @param from index of the gradient of the first parameter
     */
    static void step(Optimizer optimizer, float[] all, int width, float[] gradients, int from) {
        float[] parameters = Arrays.copyOf(all, width);
        float[] state = Arrays.copyOfRange(all, width, all.length);
        optimizer.step(parameters, state, Arrays.copyOfRange(gradients, from, from + width));
        System.arraycopy(parameters, 0, all, 0, width);
        System.arraycopy(state, 0, all, width, state.length);
    }

    void check(ParameterClient client) throws InterruptedException {
        float[] all = client.pullRows(0, LongStream.range(0, ROWS).toArray());
        for (int row = 0; row < ROWS; row++) {
            assertThat(Arrays.copyOfRange(all, row * WIDTH, (row + 1) * WIDTH))
                    .as("row " + row)
                    .isEqualTo(Arrays.copyOf(rows[row], WIDTH));
        }
        assertThat(client.pullBlocks(new int[] {0})).isEqualTo(Arrays.copyOf(block, 10));
    }

    /** Remembers what there is now. */
    void save() {
        savedRows = Arrays.stream(rows).map(float[]::clone).toArray(float[][]::new);
        savedBlock = block.clone();
    }

    /** What there was when it was saved. */
    void goBack() {
        rows = Arrays.stream(savedRows).map(float[]::clone).toArray(float[][]::new);
        block = savedBlock.clone();
    }
}
