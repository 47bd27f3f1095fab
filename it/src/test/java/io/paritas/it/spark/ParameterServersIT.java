/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.examples.spark.ExecutorProcess;
import io.paritas.it.Await;
import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.ecrm.host.ParameterServers;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.Initial;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Training goes on when the executor of a server is killed, and ends as if it had not been. */
class ParameterServersIT {
    private static final int ROWS = 3000;
    private static final int WIDTH = 8;
    private static final Optimizer OPTIMIZER = new Optimizer.Adagrad(0.1f, 1e-6f);
    private static final Initial INITIAL = new Initial(1, -1, 1);

    @RegisterExtension
    static final SparkClusters SPARK = new SparkClusters();

    /** What one machine would have. */
    private final float[][] rows = new float[ROWS][WIDTH + OPTIMIZER.state(WIDTH)];

    private final float[] block = new float[10 + OPTIMIZER.state(10)];
    private final Random random = new Random(5);

    @Test
    void trainingGoesOnWhenAServerIsKilled() throws Exception {
        for (int row = 0; row < ROWS; row++) {
            INITIAL.fill(row, rows[row], WIDTH);
        }
        INITIAL.fill(0, block, 10);
        ModelSpec model = new ModelSpec(
                3,
                Redundancy.coded(2),
                List.of(new TableSpec(ROWS, WIDTH, OPTIMIZER, INITIAL)),
                List.of(new BlockSpec(10, OPTIMIZER, INITIAL)));
        JavaSparkContext spark =
                JavaSparkContext.fromSparkContext(SPARK.session().sparkContext());
        try (ParameterServers servers = ParameterServers.start(spark, model, HostOptions.DEFAULT, 60_000);
                ParameterClient client = ParameterClient.connect(servers.location(), 0)) {
            assertThat(servers.executors()).hasSize(3).doesNotHaveDuplicates();
            train(client, 50);
            String victim = servers.executors().get(0);
            for (ExecutorProcess executor : SPARK.executors()) {
                if (executor.id().equals(victim)) {
                    executor.kill();
                }
            }
            train(client, 200);
            assertThat(servers.replaced()).isEqualTo(1);
            Await.until("all servers are recovered", servers::isHealthy, servers::executors);
            check(client);
            train(client, 20);
            check(client);
        }
    }

    /** One worker, so that the updates are in order. */
    private void train(ParameterClient client, int iterations) throws InterruptedException {
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
                OPTIMIZER.step(rows[row], WIDTH, gradients, i * WIDTH);
            }
            float[] gradient = client.pullBlocks(new int[] {0});
            assertThat(gradient).isEqualTo(Arrays.copyOf(block, 10));
            client.push(List.of(new RowGradients(0, some, gradients)), List.of(new BlockGradient(0, gradient)));
            OPTIMIZER.step(block, 10, gradient, 0);
        }
    }

    private void check(ParameterClient client) throws InterruptedException {
        float[] all = client.pullRows(0, LongStream.range(0, ROWS).toArray());
        for (int row = 0; row < ROWS; row++) {
            assertThat(Arrays.copyOfRange(all, row * WIDTH, (row + 1) * WIDTH))
                    .as("row " + row)
                    .isEqualTo(Arrays.copyOf(rows[row], WIDTH));
        }
    }
}
