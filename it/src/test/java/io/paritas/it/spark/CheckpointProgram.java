/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.spark.ecrm.host.HostOptions;
import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.ecrm.host.ParameterServers;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** Parameter servers that write checkpoints, and others, with another redundancy, that begin with the last one. */
public final class CheckpointProgram {
    private static final int ROWS = 20_000;
    private static final int WIDTH = 16;
    private static final Duration WAIT = Duration.ofMinutes(2);

    private CheckpointProgram() {}

    private static ModelSpec model(int servers, Redundancy redundancy) {
        Optimizer optimizer = new Optimizer.Adagrad(0.1f, 1e-6f);
        Initializer initial = new Initializer(1, -1, 1);
        return new ModelSpec(
                servers,
                redundancy,
                List.of(new TableSpec(ROWS, WIDTH, optimizer, initial)),
                List.of(new BlockSpec(1000, optimizer, initial)));
    }

    /**
     * Prints the number of the last checkpoint, and hashes of all parameters before it was written and after it was restored; then
     * those after one more update on either side, which are equal only if the state of the optimizer is there too.
     *
     * @param arguments the folder of the checkpoints
     */
    public static void main(String[] arguments) throws Exception {
        try (SparkSession session = SparkSession.builder()
                .master("local[4]")
                .config("spark.ui.enabled", false)
                .getOrCreate()) {
            JavaSparkContext spark = JavaSparkContext.fromSparkContext(session.sparkContext());
            try (ParameterServers servers =
                            ParameterServers.start(spark, model(3, Redundancy.coded(2)), HostOptions.DEFAULT, WAIT);
                    ParameterClient client = ParameterClient.connect(servers.location(), 1)) {
                train(client, 1, 20);
                servers.checkpoint(arguments[0], 1);
                train(client, 2, 20);
                System.out.println(servers.checkpoint(arguments[0], 1));
                System.out.println(hash(client));
                train(client, 3, 1);
                System.out.println(hash(client));
            }
            try (ParameterServers servers = ParameterServers.restore(
                            spark, model(2, Redundancy.replicated()), HostOptions.DEFAULT, WAIT, arguments[0]);
                    ParameterClient client = ParameterClient.connect(servers.location(), 2)) {
                System.out.println(hash(client));
                train(client, 3, 1);
                System.out.println(hash(client));
            }
        }
    }

    private static void train(ParameterClient client, long seed, int iterations) throws InterruptedException {
        Random random = new Random(seed);
        for (int iteration = 0; iteration < iterations; iteration++) {
            long[] rows = random.longs(500, 0, ROWS).distinct().toArray();
            float[] gradients = new float[rows.length * WIDTH];
            float[] gradient = new float[1000];
            for (float[] all : List.of(gradients, gradient)) {
                for (int i = 0; i < all.length; i++) {
                    all[i] = random.nextFloat() - 0.5f;
                }
            }
            client.push(List.of(new RowGradients(0, rows, gradients)), List.of(new BlockGradient(0, gradient)));
        }
    }

    private static int hash(ParameterClient client) throws InterruptedException {
        float[] rows = client.pullRows(0, LongStream.range(0, ROWS).toArray());
        return 31 * Arrays.hashCode(rows) + Arrays.hashCode(client.pullBlocks(new int[] {0}));
    }
}
